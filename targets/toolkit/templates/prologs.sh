#!/bin/bash
# What starts the network of the GPUs before a job, and ends it after: slurmd looks for it in the folders of each partition. The controller starts
# behind this script, so that nobody who does not answer keeps it from that: what is there from the last time stays, and without one only the jobs of such a partition fail.
set -e -o pipefail
install -d -m 755 <{ folder | sh }>/scripts
fetch() {
  for pause in 5 10 20 30 0; do
    if curl --fail --silent --show-error --location --max-time 30 --output "$2.new" "$1"; then
      mv -- "$2.new" "$2"
      return
    fi
    sleep "$pause"
  done
  if [[ ! -s $2 ]]; then
    printf '#!/bin/bash\necho "%s was not fetched from %s: start the controller anew" >&2\nexit 1\n' "$2" "$1" >"$2"
  fi
}
%% for prolog in prologs
fetch <{ prolog.script | sh }> <{ folder | sh }>/scripts/<{ prolog.name | sh }>
chmod 755 <{ folder | sh }>/scripts/<{ prolog.name | sh }>
%% for partition in prolog.partitions
install -d -m 755 <{ folder | sh }>/partition-<{ partition | sh }>-prolog_slurmd.d <{ folder | sh }>/partition-<{ partition | sh }>-epilog_slurmd.d
%% if prolog.before
ln -sfn ../scripts/<{ prolog.name | sh }> <{ folder | sh }>/partition-<{ partition | sh }>-prolog_slurmd.d/<{ prolog.name | sh }>.prolog_slurmd
%% endif
%% if prolog.after
ln -sfn ../scripts/<{ prolog.name | sh }> <{ folder | sh }>/partition-<{ partition | sh }>-epilog_slurmd.d/<{ prolog.name | sh }>.epilog_slurmd
%% endif
%% endfor
%% endfor
