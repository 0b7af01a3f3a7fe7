#!/usr/bin/env bash
# Creates the hyperparameter tuning job of tune.json and prints its name.
#   submit.sh --print    prints the request instead of sending it
#   submit.sh --config   prints the file that `gcloud ai hp-tuning-jobs create --config` takes
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

payload="$here"/tune.json
scratch="$(mktemp -d)"
trap 'rm -rf -- "$scratch"' EXIT

# Each study has a folder of its own: its trials have folders by their numbers below it, and would go on from the checkpoints of another study's.
# One that is to have that of another is told of it: RUN_FOLDER=20260131-235959-5f3a.
run_folder="${RUN_FOLDER:-$(date -u +%Y%m%d-%H%M%S)-$(printf %04x "$RANDOM")}"
if [[ ! "$run_folder" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]; then
  echo "RUN_FOLDER=$run_folder is not the name of one folder: letters, digits, and . _ - behind the first" >&2
  exit 2
fi
filled="$scratch/filled.json"
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
folder = job["trialJobSpec"]["baseOutputDirectory"]
folder["outputUriPrefix"] = folder["outputUriPrefix"].rstrip("/") + "/" + sys.argv.pop(2)
json.dump(job, sys.stdout, indent=2)
print()
' "$payload" "$run_folder" >"$filled"
payload="$filled"
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi

if [[ "${1:-}" == --config || "${1:-}" == --gcloud ]]; then
  # JSON is YAML.
  python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1])), sys.stdout, indent=2)' "$payload" >"$scratch/config.yaml"
fi
if [[ "${1:-}" == --config ]]; then
  cat -- "$scratch/config.yaml"
  exit
fi

region=us-central1
project=my-project

if [[ "${1:-}" == --gcloud ]]; then
  gcloud ai hp-tuning-jobs create --project="$project" --region="$region" --config="$scratch/config.yaml" --display-name=tune --format='value(name)'
  exit
fi

# The token comes in a file, so that no list of processes shows it.
answer="$(curl --fail-with-body --silent --show-error --request POST \
  --header @<(printf 'Authorization: Bearer %s' "$(gcloud auth print-access-token)") \
  --header 'Content-Type: application/json; charset=utf-8' \
  --data-binary @"$payload" \
  "https://$region-aiplatform.googleapis.com/v1/projects/$project/locations/$region/hyperparameterTuningJobs")" || {
  echo "$answer" >&2
  exit 1
}
job="$(python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])' <<<"$answer")"
echo "$job"
echo "what it makes gets into" gs://my-project-results/tune/"$run_folder" >&2
echo "follow it with: gcloud ai hp-tuning-jobs stream-logs ${job##*/} --project=$project --region=$region" >&2
