#!/bin/bash
# What the blueprint says of this image is on it: clusters and machines are checked against that.
set -euo pipefail
PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH"

# holds WHAT SAID FOUND: `580` is any 580.x
holds() {
  case "${3:-none}" in
  "$2" | "$2".*) echo "$1: $3" ;;
  *)
    echo "$1: the blueprint says $2, and on the image is ${3:-none}" >&2
    exit 1
    ;;
  esac
}

%% if driver
holds "NVIDIA driver" <{ driver | sh }> "$(modinfo --field=version nvidia 2>/dev/null || true)"
%% endif
%% if cuda
holds CUDA <{ cuda | sh }> "$({ /usr/local/cuda/bin/nvcc --version 2>/dev/null || true; } | sed -n 's/.*release \([0-9.]*\),.*/\1/p')"
%% endif
%% if slurm
holds Slurm <{ slurm | sh }> "$({ slurmd -V 2>/dev/null || true; } | sed -n 's/^slurm \([0-9.]*\).*/\1/p')"
%% endif
%% if enroot
holds enroot <{ enroot | sh }> "$(enroot version 2>/dev/null || true)"
%% endif
