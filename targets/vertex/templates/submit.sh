#!/usr/bin/env bash
# Creates the <{ sort | note }> of <{ payload | note }> and prints its name.
#   submit.sh --print    prints the request instead of sending it
%% if command
#   submit.sh --config   prints the file that `gcloud ai <{ command | note }> create --config` takes
#   submit.sh --gcloud   sends it with that command instead of curl
%% endif
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
tools=(python3<% if places %> terraform<% endif %>)
case "${1:-}" in
%% if command
  --print | --config) ;;
  --gcloud) tools+=(gcloud) ;;
%% else
  --print) ;;
%% endif
  '') tools+=(gcloud curl) ;;
  *) echo "unknown option $1" >&2; exit 2 ;;
esac

for tool in "${tools[@]}"; do
  command -v "$tool" >/dev/null || {
    echo "$tool is not on the PATH" >&2
    exit 1
  }
done

payload="$here"/<{ payload | sh }>
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT
%% if folder

%% if study
# Each study has a folder of its own: its trials have folders by their numbers below it, and would go on from the checkpoints of another study's.
# One that is to have that of another is told of it: RUN_FOLDER=20260131-235959-5f3a.
%% else
# Each run has a folder of its own for AIP_MODEL_DIR and AIP_CHECKPOINT_DIR: what another one has left there would be uploaded with its model.
# One that is to go on from the checkpoints of another is told of that one's folder: RUN_FOLDER=20260131-235959-5f3a.
%% endif
run_folder="${RUN_FOLDER:-$(date -u +%Y%m%d-%H%M%S)-$(printf %04x "$RANDOM")}"
if [[ ! "$run_folder" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]; then
  echo "RUN_FOLDER=$run_folder is not the name of one folder: letters, digits, and . _ - behind the first" >&2
  exit 2
fi
%% endif
%% if places or launchers or folder
%% if places

# What Terraform made goes to its places.
%% for value in values
<{ value.name | name }>="$(terraform -chdir="$here"/<{ value.root | sh }> output -raw <{ value.name | sh }>)"
%% endfor
places=(
%% for place in places
  <{ place.pointer | sh }> <{ place.marker | sh }> "$<{ place.name | name }>"
%% endfor
)
%% endif
filled="$scratch/filled.json"
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
%% for launcher in launchers
launcher = open(sys.argv.pop(2)).read()
for pool in job[<{ spec | json }>]["workerPoolSpecs"]:
    command = pool.get("containerSpec", {}).get("command", [])
    command[:] = [launcher if word == <{ launcher.marker | json }> else word for word in command]
%% endfor
%% if folder
folder = job[<{ spec | json }>]["baseOutputDirectory"]
folder["outputUriPrefix"] = folder["outputUriPrefix"].rstrip("/") + "/" + sys.argv.pop(2)
%% endif
%% if places
places = sys.argv[2:]
for pointer, marker, value in zip(places[::3], places[1::3], places[2::3]):
    *steps, last = [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]
    place = job
    for step in steps:
        place = place[step]
    place[last] = place[last].replace(marker, value)
%% endif
json.dump(job, sys.stdout, indent=2)
print()
' "$payload"<% for launcher in launchers %> "$here"/<{ launcher.file | sh }><% endfor %><% if folder %> "$run_folder"<% endif %><% if places %> "${places[@]}"<% endif %> >"$filled"
payload="$filled"
%% endif
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi
%% if command

if [[ "${1:-}" == --config || "${1:-}" == --gcloud ]]; then
  # JSON is YAML<% if spec == "jobSpec" %>, and what gcloud takes beside its file is no part of it<% endif %>.
  python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))<% if spec == "jobSpec" %>["jobSpec"]<% endif %>, sys.stdout, indent=2)' "$payload" >"$scratch/config.yaml"
fi
if [[ "${1:-}" == --config ]]; then
  cat -- "$scratch/config.yaml"
  exit
fi
%% endif

region=<{ region | sh }>
%% if project
project=<{ project | sh }>
%% else
project="$(gcloud config get-value project)"
%% endif

%% if command
if [[ "${1:-}" == --gcloud ]]; then
  gcloud ai <{ command | sh }> create --project="$project" --region="$region" --config="$scratch/config.yaml" --display-name=<{ title | sh }><% if labels %> --labels=<{ labels | sh }><% endif %><% if key %> --kms-key=<{ key | sh }><% endif %> --format='value(name)'
  exit
fi

%% endif
%% if model
# The model is uploaded once the run has ended: what then fails is told of before.
%% if model.parent
model=<{ model.parent | sh }>
%% else
model="projects/$project/locations/$region/models/"<{ model.id | sh }>
%% endif
found="$(curl --silent --output /dev/null --write-out '%{http_code}' \
  --header @<(printf 'Authorization: Bearer %s' "$(gcloud auth print-access-token)") \
  "https://$region-aiplatform.googleapis.com/v1/$model")" || true
case "$found" in
%% if model.parent
200) ;;
404)
  echo "there is no model $model that this would be a version of: run what makes it first" >&2
  exit 1
  ;;
%% else
404) ;;
200)
  echo "the model $model is there already, and a second one of its id is not uploaded: make it a version of that, with \`parent\` instead of \`id\`, or take that one away: gcloud ai models delete ${model##*/} --project=$project --region=$region" >&2
  exit 1
  ;;
%% endif
*) echo "nobody says whether the model $model is there (status $found), and the job is sent all the same" >&2 ;;
esac

%% endif
# The token comes in a file, so that no list of processes shows it.
answer="$(curl --fail-with-body --silent --show-error --request POST \
  --header @<(printf 'Authorization: Bearer %s' "$(gcloud auth print-access-token)") \
  --header 'Content-Type: application/json; charset=utf-8' \
  --data-binary @"$payload" \
  "https://$region-aiplatform.googleapis.com/v1/projects/$project/locations/$region/<{ collection | sh }>")" || {
  echo "$answer" >&2
  exit 1
}
job="$(python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])' <<<"$answer")"
echo "$job"
%% if command
<% if folder %>echo "what it makes gets into" <{ folder | sh }>/"$run_folder" >&2
<% endif %>echo "follow it with: gcloud ai <{ command | sh }> stream-logs ${job##*/} --project=$project --region=$region" >&2
%% else
<% if folder %>echo "what it makes gets into" <{ folder | sh }>/"$run_folder" >&2
<% endif %>echo "it runs a custom job, and keeps its model: the README.md of this output has the commands to follow both" >&2
%% endif
