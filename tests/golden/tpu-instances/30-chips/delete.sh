#!/usr/bin/env bash
# Gives back what was asked of Cloud TPU as chips: v5litepod-16, with what is on the disks of its hosts.
# CLOUDSDK_CORE_DISABLE_PROMPTS=1 asks nobody before.
set -euo pipefail
gcloud compute tpus queued-resources delete chips --zone=us-west4-a --project=my-project-dev --force
