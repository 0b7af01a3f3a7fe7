command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}
%% if login

# What it needs on this host.
%% for command in login
<{ command | words }> >&2
%% endfor
%% endif
%% for value in deferred

# What Terraform made; where it cannot run, export the value instead.
if [[ -z "${<{ value.name | name }>:-}" ]]; then
  <{ value.name | name }>="$(terraform -chdir="$here"/<{ value.root | sh }> output -raw <{ value.name | sh }>)"
fi
export <{ value.name | name }>
%% endfor
%% if files

# What its containers start from.
%% for file in files
if [[ ! -r <{ file | sh }> ]]; then
  echo <{ (file ~ " is not here, and containers start from it") | sh }> >&2
  exit 1
fi
%% endfor
%% endif
%% if images

# One import instead of a pull by every node. Remove the file once the image has been built anew under its name.
%% for image in images
image=<{ image.squashfs | sh }>
if [[ ! -e "$image" ]]; then
  mkdir -p -- "${image%/*}/"
  import=(enroot import --output "$image.$$" <{ image.import | sh }>)
  # a login host without enroot, or where its folders cannot be made, lets a node do it
  enroot list >/dev/null 2>&1 || import=(srun --job-name=import --mpi=none --partition=<{ image.partition | sh }><% for option in image.options %> <{ option | sh }><% endfor %> --nodes=1 --ntasks=1 "${import[@]}")
  "${import[@]}" || {
    echo <{ image.credentials | sh }> >&2
    exit 1
  }
  mv -- "$image.$$" "$image"
fi
%% endfor
%% endif
