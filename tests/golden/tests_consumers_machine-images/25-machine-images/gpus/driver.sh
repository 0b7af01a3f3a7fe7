#!/bin/bash
set -euo pipefail
apt-get install --yes nvidia-headless-580-server-open nvidia-utils-580-server
