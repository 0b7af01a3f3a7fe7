#!/usr/bin/env bash
# Submits bandwidth-2.sbatch. Options of sbatch may follow, such as --begin=22:00.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

# One import instead of a pull by every node. Remove the file once the image has been built anew under its name.
image=/home/slipform/images/nvcr.io+nvidia+pytorch+24.07-py3.sqsh
if [[ ! -e "$image" ]]; then
  mkdir -p -- "${image%/*}/"
  import=(enroot import --output "$image.$$" 'docker://nvcr.io#nvidia/pytorch:24.07-py3')
  # a login host without enroot, or where its folders cannot be made, lets a node do it
  enroot list >/dev/null 2>&1 || import=(srun --job-name=import --mpi=none --partition=gpus --nodes=1 --ntasks=1 "${import[@]}")
  "${import[@]}" || {
    echo 'the image was not imported; a registry that asks who one is finds it in ~/.config/enroot/.credentials: machine nvcr.io login $oauthtoken password KEY' >&2
    exit 1
  }
  mv -- "$image.$$" "$image"
fi

# A job whose log has no folder dies without a word.
logs=/home/slipform/logs
logs="${LOGS:-$logs}"
mkdir -p -- "$logs"
exec sbatch --output="$logs/%x-%j.out" "$@" "$here"/bandwidth-2.sbatch
