#!/bin/bash
# What the network of a node's GPUs needs around a job follows from the machine, whatever its partition is called. Without its script the job would go over
# sockets, and nothing would say so: such a node takes no jobs.
export SLURM_SCRIPT_CONTEXT=<{ context | sh }>
fail() {
  logger --stderr --tag slurm-network "$1"
  exit 1
}
url=http://metadata.google.internal/computeMetadata/v1/instance/machine-type
read -r machine < <(curl --fail --silent --show-error --retry 5 --max-time 10 --header "Metadata-Flavor: Google" "$url")
case "${machine##*/}" in
%% for machine in machines
  <{ machine.name | sh }>)
    scripts=(
%% for script in machine.scripts
      <{ script | sh }>
%% endfor
    )
    ;;
%% endfor
  ?*)
    exit 0
    ;;
  *)
    fail "$url does not tell the machine, and which script the network of its GPUs needs"
    ;;
esac
for script in "${scripts[@]}"; do
  file=<{ folder | sh }>/scripts/$script
  # a controller that is gone does not answer, and whoever asks for a file of it waits for ever
  if ! timeout --signal=KILL 20 test -x "$file"; then
    fail "$file is not there for the network of the GPUs. Where the controller has it, start this node anew: it still mounts what the controller shared before. Otherwise run <{ fetch | setting }> there as root"
  fi
  "$file" || fail "$file ended with status $?"
done
