#!/usr/bin/env bash
# Creates the custom job of <{ payload | note }> and prints its name.
#   submit.sh --print   prints the request instead of sending it
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
tools=(python3<% if places %> terraform<% endif %>)
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

payload="$here"/<{ payload | sh }>
%% if places or launchers
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
filled="$(mktemp)"
trap 'rm -f -- "$filled"' EXIT
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
%% for launcher in launchers
launcher = open(sys.argv.pop(2)).read()
for pool in job["jobSpec"]["workerPoolSpecs"]:
    container = pool.get("containerSpec", {})
    container["command"] = [launcher if word == <{ launcher.marker | json }> else word for word in container.get("command", [])]
%% endfor
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
' "$payload"<% for launcher in launchers %> "$here"/<{ launcher.file | sh }><% endfor %><% if places %> "${places[@]}"<% endif %> >"$filled"
payload="$filled"
%% endif
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi

region=<{ region | sh }>
%% if project
project=<{ project | sh }>
%% else
project="$(gcloud config get-value project)"
%% endif

# The token comes in a file, so that no list of processes shows it.
answer="$(curl --fail-with-body --silent --show-error --request POST \
  --header @<(printf 'Authorization: Bearer %s' "$(gcloud auth print-access-token)") \
  --header 'Content-Type: application/json; charset=utf-8' \
  --data-binary @"$payload" \
  "https://$region-aiplatform.googleapis.com/v1/projects/$project/locations/$region/customJobs")" || {
  echo "$answer" >&2
  exit 1
}
job="$(python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])' <<<"$answer")"
echo "$job"
echo "follow it with: gcloud ai custom-jobs stream-logs ${job##*/} --project=$project --region=$region" >&2
