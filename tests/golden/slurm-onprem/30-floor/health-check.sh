#!/bin/bash
# A node whose GPUs do not answer takes no more jobs.
if command -v nvidia-smi >/dev/null && ! timeout 60 nvidia-smi --list-gpus >/dev/null; then
  scontrol update nodename="$(hostname -s)" state=drain reason="its GPUs do not answer"
fi