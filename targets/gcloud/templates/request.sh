#!/usr/bin/env bash
# Asks for those of the <{ nodes }> machines <{ name | note }> that are neither there nor asked for yet: they come all at once, when there is room for them,
# and are gone <{ lent }> seconds after that.
set -euo pipefail
size="$(gcloud compute instance-groups managed describe <{ name | sh }><% if project %> --project=<{ project | sh }><% endif %> --zone=<{ zone | sh }> --format='value(targetSize)')"
wanted=<{ nodes }>
if ((size >= wanted)); then
  echo "$size machines are there or asked for: \`gcloud compute instance-groups managed resize-requests list\` tells which"
  exit
fi
gcloud compute instance-groups managed resize-requests create <{ name | sh }><% if project %> --project=<{ project | sh }><% endif %> --zone=<{ zone | sh }> --resize-request="request-$(date -u +%Y%m%d-%H%M%S)" --resize-by=$((wanted - size)) --requested-run-duration=<{ lent }>s
