#!/usr/bin/env bash
# Deletes the machines <{ name | note }>, with what is on their boot disks; with the word `surplus` those alone whose numbers are beyond <{ nodes }>.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
case "$*" in
  '') stays=0 ;;
  surplus) stays=<{ nodes }> ;;
  *)
    echo "usage: ${0##*/} [surplus]" >&2
    exit 2
    ;;
esac
there="$(gcloud compute instances list<% if project %> --project=<{ project | sh }><% endif %> --zones=<{ zone | sh }> --filter=<{ ("name ~ \"^" ~ name ~ "-[0-9]{4,6}$\"") | sh }> --format='value(name)')"
if [[ -z "$there" ]]; then
  echo <{ ("no machine " ~ name ~ " is there") | sh }>
  exit
fi
machines=()
while read -r machine; do
  ((10#${machine##*-} <= stays)) || machines+=("$machine")
done <<<"$there"
if ((${#machines[@]} == 0)); then
  echo <{ ("no machine " ~ name ~ " is there beyond " ~ nodes) | sh }>
  exit
fi
gcloud compute instances delete "${machines[@]}"<% if project %> --project=<{ project | sh }><% endif %> --zone=<{ zone | sh }>
