#!/usr/bin/env bash
# Submits pretrain.sbatch. Options of sbatch may follow, such as --begin=22:00.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

# One import instead of a pull by every node. Remove the file once the image has been built anew under its name.
image=/shared/images/nvcr.io+nvidia+nemo+24.07.sqsh
if [[ ! -e "$image" ]]; then
  mkdir -p -- "${image%/*}/"
  import=(enroot import --output "$image.$$" 'docker://nvcr.io#nvidia/nemo:24.07')
  # a login host without enroot, or where its folders cannot be made, lets a node do it
  enroot list >/dev/null 2>&1 || import=(srun --job-name=import --mpi=none --partition=gpu --nodes=1 --ntasks=1 "${import[@]}")
  "${import[@]}" || {
    echo 'the image was not imported; a registry that asks who one is finds it in ~/.config/enroot/.credentials: machine nvcr.io login $oauthtoken password KEY' >&2
    exit 1
  }
  mv -- "$image.$$" "$image"
fi

# What it waits for in the queue. A job that has ended long ago is forgotten: its number may be empty.
dependencies=()
: "${JOB_PREPARE?the number of job prepare, or nothing where it has ended: chain.sh submits both}"
[[ -z "$JOB_PREPARE" ]] || dependencies+=(afterok:"$JOB_PREPARE")
# One on the command line is one more, and would otherwise take the place of these.
words=("$@")
set --
for ((word = 0; word < ${#words[@]}; word++)); do
  case "${words[word]}" in
    -d | --dependency) dependencies+=("${words[++word]?a dependency is missing}") ;;
    --dependency=*) dependencies+=("${words[word]#*=}") ;;
    -d*) dependencies+=("${words[word]#-d}") ;;
    *) set -- "$@" "${words[word]}" ;;
  esac
done
joined="$(IFS=,; echo "${dependencies[*]}")"
if [[ "$joined" == *'?'* && ${#dependencies[@]} -gt 1 ]]; then
  echo "sbatch takes dependencies of which one is enough, joined by \`?\`, with no others: $joined" >&2
  exit 2
fi
[[ -z "$joined" ]] || set -- --dependency="$joined" "$@"

exec sbatch "$@" "$here"/pretrain.sbatch
