#!/bin/bash
# What starts the network of the GPUs before a job, and ends it after: slurmd looks for it in the folders of each partition.
set -e -o pipefail
install -d -m 755 <{ folder | sh }>/scripts
%% for prolog in prologs
curl --fail --silent --show-error --location --retry 5 --output <{ folder | sh }>/scripts/<{ prolog.name | sh }> <{ prolog.script | sh }>
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
