#!/bin/bash
# What starts the network of the GPUs before a job, and ends it after: slurmd looks for it in the folders of each partition.
set -e -o pipefail
# A controller that has it from its last start goes on with that.
fetch() {
  for _ in 1 2 3 4 5 6; do
    curl --fail --silent --show-error --location --output "$2.new" "$1" && mv -- "$2.new" "$2" && return
    sleep 10
  done
  [[ -s "$2" ]]
}
install -d -m 755 <{ folder | sh }>/scripts
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
