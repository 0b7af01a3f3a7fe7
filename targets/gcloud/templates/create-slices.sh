#!/usr/bin/env bash
%% if count == 1
# Asks Cloud TPU for the slice <{ name | note }>, <{ what | note }>.
%% else
# Asks Cloud TPU for <{ count }> slices <{ name | note }> at once, <{ what | note }> each.
%% endif
set -euo pipefail
%% if startup
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
%% endif
gcloud<% if track %> <{ track | sh }><% endif %> compute tpus queued-resources create <{ name | sh }> \
  --zone=<{ zone | sh }><% if project %> --project=<{ project | sh }><% endif %> \
%% if count == 1
  --node-id=<{ name | sh }> \
%% else
  --node-count=<{ count }> --node-prefix=<{ name | sh }> \
%% endif
%% if startup
  --metadata-from-file=startup-script="$here"/startup.sh \
%% endif
%% for flag in flags
  --<{ flag.name | command }><% if flag.value is not none %>=<{ flag.value | sh }><% endif %><% if not loop.last %> \<% endif %>

%% endfor
