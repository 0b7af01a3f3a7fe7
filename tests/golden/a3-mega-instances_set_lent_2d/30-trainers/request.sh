#!/usr/bin/env bash
# Asks for those of the 2 machines trainers that are neither there nor asked for yet: they come all at once, when there is room for them,
# and are gone 172800 seconds after that.
set -euo pipefail
size="$(gcloud compute instance-groups managed describe trainers --project=my-project-dev --zone=us-east4-b --format='value(targetSize)')"
wanted=2
if ((size >= wanted)); then
  echo "$size machines are there or asked for: \`gcloud compute instance-groups managed resize-requests list\` tells which"
  exit
fi
gcloud compute instance-groups managed resize-requests create trainers --project=my-project-dev --zone=us-east4-b --resize-request="request-$(date -u +%Y%m%d-%H%M%S)" --resize-by=$((wanted - size)) --requested-run-duration=172800s
