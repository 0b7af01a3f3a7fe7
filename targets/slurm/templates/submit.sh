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

# One import instead of a pull by every node. Remove the file once the image has been built anew under its name.
%% for image in images
image=<{ image.squashfs | sh }>
if [[ ! -e "$image" ]]; then
  mkdir -p -- "${image%/*}"
  import=(enroot import --output "$image.$$" <{ image.import | sh }>)
  # a login host without enroot lets a node do it
  command -v enroot >/dev/null || import=(srun --job-name=import --mpi=none --partition=<{ image.partition | sh }> --nodes=1 --ntasks=1 "${import[@]}")
  "${import[@]}" || {
    echo <{ image.credentials | sh }> >&2
    exit 1
  }
  mv -- "$image.$$" "$image"
fi
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
