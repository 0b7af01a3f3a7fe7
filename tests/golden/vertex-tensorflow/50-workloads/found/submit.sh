#!/usr/bin/env bash
# Creates the training pipeline of found.json and prints its name.
#   submit.sh --print    prints the request instead of sending it
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
tools=(python3)
case "${1:-}" in
  --print) ;;
  '') tools+=(gcloud curl) ;;
  *) echo "unknown option $1" >&2; exit 2 ;;
esac

for tool in "${tools[@]}"; do
  command -v "$tool" >/dev/null || {
    echo "$tool is not on the PATH" >&2
    exit 1
  }
done

payload="$here"/found.json
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT

# Each run has a folder of its own for AIP_MODEL_DIR and AIP_CHECKPOINT_DIR: what another one has left there would be uploaded with its model.
# One that is to go on from the checkpoints of another is told of that one's folder: RUN_FOLDER=20260131-235959-5f3a.
run_folder="${RUN_FOLDER:-$(date -u +%Y%m%d-%H%M%S)-$(printf %04x "$RANDOM")}"
if [[ ! "$run_folder" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]; then
  echo "RUN_FOLDER=$run_folder is not the name of one folder: letters, digits, and . _ - behind the first" >&2
  exit 2
fi
filled="$scratch/filled.json"
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
folder = job["trainingTaskInputs"]["baseOutputDirectory"]
folder["outputUriPrefix"] = folder["outputUriPrefix"].rstrip("/") + "/" + sys.argv.pop(2)
json.dump(job, sys.stdout, indent=2)
print()
' "$payload" "$run_folder" >"$filled"
payload="$filled"
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi

region=us-central1
project=my-project

# The model is uploaded once the run has ended: what then fails is told of before.
model="projects/$project/locations/$region/models/"found
found="$(curl --silent --output /dev/null --write-out '%{http_code}' \
  --header @<(printf 'Authorization: Bearer %s' "$(gcloud auth print-access-token)") \
  "https://$region-aiplatform.googleapis.com/v1/$model")" || true
case "$found" in
404) ;;
200)
  echo "the model $model is there already, and a second one of its id is not uploaded: make it a version of that, with \`parent\` instead of \`id\`, or take that one away: gcloud ai models delete ${model##*/} --project=$project --region=$region" >&2
  exit 1
  ;;
*) echo "nobody says whether the model $model is there (status $found), and the job is sent all the same" >&2 ;;
esac

# The token comes in a file, so that no list of processes shows it.
answer="$(curl --fail-with-body --silent --show-error --request POST \
  --header @<(printf 'Authorization: Bearer %s' "$(gcloud auth print-access-token)") \
  --header 'Content-Type: application/json; charset=utf-8' \
  --data-binary @"$payload" \
  "https://$region-aiplatform.googleapis.com/v1/projects/$project/locations/$region/trainingPipelines")" || {
  echo "$answer" >&2
  exit 1
}
job="$(python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])' <<<"$answer")"
echo "$job"
echo "what it makes gets into" gs://my-project-results/found/"$run_folder" >&2
echo "it runs a custom job, and keeps its model: the README.md of this output has the commands to follow both" >&2
