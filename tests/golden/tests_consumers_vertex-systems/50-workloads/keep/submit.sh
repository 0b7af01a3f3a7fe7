#!/usr/bin/env bash
# Creates the training pipeline of keep.json and prints its name.
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

payload="$here"/keep.json
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi

region=us-central1
project=my-project

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
echo "it runs a custom job, and keeps its model: the README.md of this output has the commands to follow both" >&2
