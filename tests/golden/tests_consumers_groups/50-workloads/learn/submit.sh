#!/usr/bin/env bash
# Creates the custom job of learn.json and prints its name.
#   submit.sh --print    prints the request instead of sending it
#   submit.sh --config   prints the file that `gcloud ai custom-jobs create --config` takes
#   submit.sh --gcloud   sends it with that command instead of curl
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
tools=(python3 terraform)
case "${1:-}" in
  --print | --config) ;;
  --gcloud) tools+=(gcloud) ;;
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
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT

# What Terraform made goes to its places.
home_address="$(terraform -chdir="$here"/../../10-foundation output -raw home_address)"
board_resource="$(terraform -chdir="$here"/../../10-foundation output -raw board_resource)"
places=(
  /jobSpec/workerPoolSpecs/2/nfsMounts/0/server '${home_address}' "$home_address"
  /jobSpec/workerPoolSpecs/2/containerSpec/env/0/value '${home_address}' "$home_address"
  /jobSpec/tensorboard '${board_resource}' "$board_resource"
)
filled="$scratch/filled.json"
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
launcher = open(sys.argv.pop(2)).read()
for pool in job["jobSpec"]["workerPoolSpecs"]:
    command = pool.get("containerSpec", {}).get("command", [])
    command[:] = [launcher if word == "@launch.sh" else word for word in command]
launcher = open(sys.argv.pop(2)).read()
for pool in job["jobSpec"]["workerPoolSpecs"]:
    command = pool.get("containerSpec", {}).get("command", [])
    command[:] = [launcher if word == "@launch-servers.sh" else word for word in command]
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

if [[ "${1:-}" == --config || "${1:-}" == --gcloud ]]; then
  # JSON is YAML, and what gcloud takes beside its file is no part of it.
  python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["jobSpec"], sys.stdout, indent=2)' "$payload" >"$scratch/config.yaml"
fi
if [[ "${1:-}" == --config ]]; then
  cat -- "$scratch/config.yaml"
  exit
fi

region=us-east4
project=my-project

if [[ "${1:-}" == --gcloud ]]; then
  gcloud ai custom-jobs create --project="$project" --region="$region" --config="$scratch/config.yaml" --display-name=learn --labels='blueprint=groups,environment=default,managed-by=slipform' --format='value(name)'
  exit
fi

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
