#!/usr/bin/env bash
# Submits count.sbatch. Options of sbatch may follow, such as --begin=22:00.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

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

# A job whose log has no folder dies without a word.
logs=/shared/logs
logs="${LOGS:-$logs}"
mkdir -p -- "$logs"
exec sbatch --output="$logs/%x-%j.out" "$@" "$here"/count.sbatch
