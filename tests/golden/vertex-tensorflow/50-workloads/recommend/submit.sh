#!/usr/bin/env bash
# Creates the custom job of recommend.json and prints its name.
#   submit.sh --print    prints the request instead of sending it
#   submit.sh --config   prints the file that `gcloud ai custom-jobs create --config` takes
#   submit.sh --gcloud   sends it with that command instead of curl
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
tools=(python3)
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

payload="$here"/recommend.json
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT
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

region=us-central1
project=my-project

if [[ "${1:-}" == --gcloud ]]; then
  gcloud ai custom-jobs create --project="$project" --region="$region" --config="$scratch/config.yaml" --display-name=recommend --labels='blueprint=vertex-tensorflow,environment=default,managed-by=slipform' --format='value(name)'
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
