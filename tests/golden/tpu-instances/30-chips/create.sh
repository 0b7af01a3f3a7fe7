#!/usr/bin/env bash
# Asks Cloud TPU for the slice chips, v5litepod-16.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
gcloud compute tpus queued-resources create chips \
  --zone=us-west4-a --project=my-project-dev \
  --node-id=chips \
  --metadata-from-file=startup-script="$here"/startup.sh \
  --accelerator-type=v5litepod-16 \
  --runtime-version=v2-alpha-tpuv5-lite \
  --network=fabric \
  --subnetwork=fabric-us-west4 \
  --service-account=trainer@my-project-dev.iam.gserviceaccount.com \
  --scopes=cloud-platform \
  --labels='managed-by=slipform,blueprint=tpu-instances,environment=dev,team=research' \
  --spot \
  --internal-ips
