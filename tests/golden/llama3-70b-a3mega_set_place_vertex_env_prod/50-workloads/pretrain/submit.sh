#!/usr/bin/env bash
# Creates the custom job of pretrain.json and prints its name.
#   submit.sh --print   prints the request instead of sending it
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

payload="$here"/pretrain.json
filled="$(mktemp)"
trap 'rm -f -- "$filled"' EXIT
python3 -c '
import json, sys
job = json.load(open(sys.argv[1]))
launcher = open(sys.argv.pop(2)).read()
for pool in job["jobSpec"]["workerPoolSpecs"]:
    container = pool.get("containerSpec", {})
    container["command"] = [launcher if word == "@launch.sh" else word for word in container.get("command", [])]
json.dump(job, sys.stdout, indent=2)
print()
' "$payload" "$here"/launch.sh >"$filled"
payload="$filled"
if [[ "${1:-}" == --print ]]; then
  cat -- "$payload"
  exit
fi

region=us-east4
project=my-project-prod

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
