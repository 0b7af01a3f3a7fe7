#!/bin/bash
# Packages of the image.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

# a machine that has just started brings itself up to date, and holds the lock meanwhile
apt-get --option DPkg::Lock::Timeout=900 update
apt-get --option DPkg::Lock::Timeout=900 install --yes --no-install-recommends docker.io jq
