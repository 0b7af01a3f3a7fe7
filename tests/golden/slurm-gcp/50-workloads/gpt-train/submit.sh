#!/usr/bin/env bash
# Starts what submits jobs of its own to gpus. Further words of its command may follow.
set -euo pipefail

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

# What it needs on this host.
python3 -m venv env >&2
env/bin/pip install --requirement requirements.txt >&2
env/bin/pip install --upgrade hydra-core >&2

# What its containers start from.
if [[ ! -r ./nemofw.sqsh ]]; then
  echo './nemofw.sqsh is not here, and containers start from it' >&2
  exit 1
fi

# Options of all jobs that come of it. They win against those that its scripts say, but not against those of sbatch's own command line.
export SBATCH_PARTITION=gpus
exec bash -c 'container="$(realpath -- "$1")" && shift && cd launcher_scripts && mkdir -p data && exec ../env/bin/python3 main.py launcher_scripts_path="$PWD" container="$container" "$@"' nemo ./nemofw.sqsh 'stages=[training]' 'training=gpt3/5b' 'training.trainer.num_nodes=2' 'cluster.srun_args=['\''--container-writable'\'']' 'container_mounts=['\''/var/lib/tcpxo/lib64:/var/lib/tcpxo/lib64'\'','\''/var/tmp:/var/tmp'\'','\''/sys/bus/pci:/sys/bus/pci'\'']' 'training.trainer.max_steps=10' 'training.trainer.val_check_interval=10' 'env_vars.TRANSFORMERS_OFFLINE=0' 'training.model.data.data_impl=mock' 'training.model.data.data_prefix=[]' 'training.trainer.limit_val_batches=0.0' 'training.exp_manager.create_checkpoint_callback=False' 'training.exp_manager.resume_if_exists=False' "$@"
