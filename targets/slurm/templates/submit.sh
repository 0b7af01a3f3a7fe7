#!/usr/bin/env bash
# Submits <{ script | note }>. Options of sbatch may follow, such as --dependency=singleton.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}
%% for value in deferred

# What Terraform made; where it cannot run, export the value instead.
if [[ -z "${<{ value.name | name }>:-}" ]]; then
  <{ value.name | name }>="$(terraform -chdir="$here"/<{ value.root | sh }> output -raw <{ value.name | sh }>)"
fi
export <{ value.name | name }>
%% endfor

%% if logs
# A job whose log has no folder dies without a word.
logs=<{ logs | sh }>
logs="${LOGS:-$logs}"
mkdir -p -- "$logs"
exec sbatch --output="$logs/%x-%j.out" "$@" "$here"/<{ script | sh }>
%% else
exec sbatch "$@" "$here"/<{ script | sh }>
%% endif
