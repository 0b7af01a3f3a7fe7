#!/usr/bin/env bash
# Deletes the machines loaders, with what is on their boot disks.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
there="$(gcloud compute instances list --project=my-project --zones=us-east4-b --filter='name ~ "^loaders-[0-9]{4,6}$"' --format='value(name)')"
if [[ -z "$there" ]]; then
  echo 'no machine loaders is there'
  exit
fi
mapfile -t machines <<<"$there"
gcloud compute instances delete "${machines[@]}" --project=my-project --zone=us-east4-b
