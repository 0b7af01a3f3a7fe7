#!/usr/bin/env bash
# Deletes the machines trainers, with what is on their boot disks; with the word `surplus` those alone whose numbers are beyond 2.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
case "$*" in
  '') stays=0 ;;
  surplus) stays=2 ;;
  *)
    echo "usage: ${0##*/} [surplus]" >&2
    exit 2
    ;;
esac
there="$(gcloud compute instances list --project=my-project-dev --zones=us-east4-b --filter='name ~ "^trainers-[0-9]{4,6}$"' --format='value(name)')"
if [[ -z "$there" ]]; then
  echo 'no machine trainers is there'
  exit
fi
machines=()
while read -r machine; do
  ((10#${machine##*-} <= stays)) || machines+=("$machine")
done <<<"$there"
if ((${#machines[@]} == 0)); then
  echo 'no machine trainers is there beyond 2'
  exit
fi
gcloud compute instances delete "${machines[@]}" --project=my-project-dev --zone=us-east4-b
