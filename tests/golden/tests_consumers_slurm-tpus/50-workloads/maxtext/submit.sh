#!/usr/bin/env bash
# Submits maxtext.sbatch. Options of sbatch may follow, such as --begin=22:00.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

# A job whose log has no folder dies without a word.
logs=/home/slipform/logs
logs="${LOGS:-$logs}"
mkdir -p -- "$logs"
exec sbatch --output="$logs/%x-%j.out" "$@" "$here"/maxtext.sbatch
