#!/usr/bin/env bash
# Writes deferred.env from what Terraform made. Run it after `terraform apply`: without the file this folder does not build.
set -euo pipefail
cd "$(dirname "$0")"
output() { terraform -chdir="$1" output -raw "$2"; }
{
  value="$(output ../../../10-foundation board_resource)"
  printf '%s=%s\n' BOARD_RESOURCE "$value"
} > deferred.env.new
mv deferred.env.new deferred.env
