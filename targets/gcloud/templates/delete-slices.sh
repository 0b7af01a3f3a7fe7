#!/usr/bin/env bash
# Gives back what was asked of Cloud TPU as <{ name | note }>: <{ what | note }>, with what is on the disks of its hosts.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
gcloud compute tpus queued-resources delete <{ name | sh }> --zone=<{ zone | sh }><% if project %> --project=<{ project | sh }><% endif %> --force
