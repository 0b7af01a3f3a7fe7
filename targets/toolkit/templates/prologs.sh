#!/bin/bash
# Scripts that nodes run around jobs for the network of their GPUs: the controller shares them out. It starts behind this script, so that nobody who does
# not answer keeps it from that: what is there from the last time stays, and without one only jobs on such nodes do not begin.
set -e -o pipefail
install -d -m 755 <{ folder | sh }>/scripts
fetch() {
  for pause in 5 10 20 30 0; do
    if curl --fail --silent --show-error --location --max-time 30 --output "$2.new" "$1"; then
      chmod 755 "$2.new"
      mv -- "$2.new" "$2"
      return
    fi
    sleep "$pause"
  done
  echo "$2 was not fetched from $1" >&2
}
%% for script in scripts
fetch <{ script.from | sh }> <{ folder | sh }>/scripts/<{ script.name | sh }>
# where a folder of one partition has it as well, it would run twice
rm -f <{ folder | sh }>/partition-*/<{ script.name | sh }>.*_slurmd
%% endfor
