#!/usr/bin/env bash
# Deletes the machines <{ name | note }>, with what is on their boot disks.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
there="$(gcloud compute instances list<% if project %> --project=<{ project | sh }><% endif %> --zones=<{ zone | sh }> --filter=<{ ("name ~ \"^" ~ name ~ "-[0-9]{4,6}$\"") | sh }> --format='value(name)')"
if [[ -z "$there" ]]; then
  echo <{ ("no machine " ~ name ~ " is there") | sh }>
  exit
fi
mapfile -t machines <<<"$there"
gcloud compute instances delete "${machines[@]}"<% if project %> --project=<{ project | sh }><% endif %> --zone=<{ zone | sh }>
