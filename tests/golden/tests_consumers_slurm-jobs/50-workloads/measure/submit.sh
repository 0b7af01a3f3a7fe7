#!/usr/bin/env bash
# Submits measure.sbatch. Options of sbatch may follow, such as --dependency=singleton.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

# What it waits for in the queue. A job that has ended long ago is forgotten: its number may be empty.
dependencies=()
: "${JOB_PRETRAIN?the number of job pretrain, or nothing where it has ended: chain.sh submits both}"
[[ -z "$JOB_PRETRAIN" ]] || dependencies+=(afterok:"$JOB_PRETRAIN")
dependencies+=(singleton)
((${#dependencies[@]} == 0)) || set -- --dependency="$(IFS=,; echo "${dependencies[*]}")" "$@"

# A job whose log has no folder dies without a word.
logs=/shared/logs
logs="${LOGS:-$logs}"
mkdir -p -- "$logs"
exec sbatch --output="$logs/%x-%j.out" "$@" "$here"/measure.sbatch
