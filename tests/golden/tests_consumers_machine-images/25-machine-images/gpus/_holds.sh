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

holds "NVIDIA driver" 580 "$(modinfo --field=version nvidia 2>/dev/null || true)"
