#!/usr/bin/env bash
# Makes those of the 2 machines loaders-0001 and so on that are not there yet, all at once, of the template that Terraform keeps.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
for tool in gcloud terraform; do
  command -v "$tool" >/dev/null || {
    echo "$tool is not on the PATH" >&2
    exit 1
  }
done

there="$(gcloud compute instances list --project=my-project --zones=us-east4-b --filter='name ~ "^loaders-[0-9]{4,6}$"' --format='value(name)')"
while read -r machine; do
  if [[ -n "$machine" ]] && ((10#${machine##*-} > 2)); then
    echo "$machine is beyond the 2 that are to be, and is paid for: $here/delete.sh surplus" >&2
  fi
done <<<"$there"
missing=()
for number in $(seq 1 2); do
  printf -v machine '%s-%04d' loaders "$number"
  grep -qxF -- "$machine" <<<"$there" || missing+=("$machine")
done
if ((${#missing[@]} == 0)); then
  echo "all that are to be are there"
  exit
fi

template="$(terraform -chdir="$here" output -raw loaders_template)"
printf -v names '%s,' "${missing[@]}"
gcloud compute instances bulk create --predefined-names="${names%,}" --project=my-project --zone=us-east4-b --source-instance-template="$template"
