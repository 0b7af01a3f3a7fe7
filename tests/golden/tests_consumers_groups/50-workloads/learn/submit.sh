#!/usr/bin/env bash
# Creates the custom job of learn.json and prints its name.
#   submit.sh --print   prints the request instead of sending it
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
tools=(python3 terraform)
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

payload="$here"/learn.json

# What Terraform made goes to its places.
home_address="$(terraform -chdir="$here"/../../10-foundation output -raw home_address)"
board_resource="$(terraform -chdir="$here"/../../10-foundation output -raw board_resource)"
places=(
  /jobSpec/workerPoolSpecs/2/nfsMounts/0/server '${home_address}' "$home_address"
  /jobSpec/workerPoolSpecs/2/containerSpec/env/0/value '${home_address}' "$home_address"
  /jobSpec/tensorboard '${board_resource}' "$board_resource"
)
filled="$(mktemp)"
trap 'rm -f -- "$filled"' EXIT
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
launcher = open(sys.argv.pop(2)).read()
for pool in job["jobSpec"]["workerPoolSpecs"]:
    container = pool.get("containerSpec", {})
    container["command"] = [launcher if word == "@launch.sh" else word for word in container.get("command", [])]
launcher = open(sys.argv.pop(2)).read()
for pool in job["jobSpec"]["workerPoolSpecs"]:
    container = pool.get("containerSpec", {})
    container["command"] = [launcher if word == "@launch-servers.sh" else word for word in container.get("command", [])]
places = sys.argv[2:]
for pointer, marker, value in zip(places[::3], places[1::3], places[2::3]):
    *steps, last = [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]
    place = job
    for step in steps:
        place = place[step]
    place[last] = place[last].replace(marker, value)
json.dump(job, sys.stdout, indent=2)
print()
' "$payload" "$here"/launch.sh "$here"/launch-servers.sh "${places[@]}" >"$filled"
payload="$filled"
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi

region=us-east4
project=my-project

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
