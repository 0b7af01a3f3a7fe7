#!/usr/bin/env bash
# Deletes the machines trainers, with what is on their boot disks.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
there="$(gcloud compute instances list --project=my-project-dev --zones=us-east4-b --filter='name ~ "^trainers-[0-9]{4,6}$"' --format='value(name)')"
if [[ -z "$there" ]]; then
  echo 'no machine trainers is there'
  exit
fi
mapfile -t machines <<<"$there"
gcloud compute instances delete "${machines[@]}" --project=my-project-dev --zone=us-east4-b
