#!/usr/bin/env bash
# Starts what submits jobs of its own to a3mega. Further words of its command may follow.
set -euo pipefail

command -v sbatch >/dev/null || {
  echo "sbatch is not on the PATH of this host: submit from a login node" >&2
  exit 1
}

# What it needs on this host.
python3 -m venv env >&2
env/bin/pip install --requirement requirements.txt hydra-core >&2

# One import instead of a pull by every node. Remove the file once the image has been built anew under its name.
image=./nemofw.sqsh
if [[ ! -e "$image" ]]; then
  mkdir -p -- "${image%/*}"
  import=(enroot import --output "$image.$$" 'docker://nvcr.io#nvidia/nemo:24.07')
  # a login host without enroot lets a node do it
  command -v enroot >/dev/null || import=(srun --job-name=import --mpi=none --partition=a3mega --nodes=1 --ntasks=1 "${import[@]}")
  "${import[@]}" || {
    echo 'the image was not imported; a registry that asks who one is finds it in ~/.config/enroot/.credentials: machine nvcr.io login $oauthtoken password KEY' >&2
    exit 1
  }
  mv -- "$image.$$" "$image"
fi

# Options of all jobs that come of it, but for those that it says itself.
export SBATCH_PARTITION=a3mega
exec bash -c 'container="$(realpath -- "$1")" && shift && cd launcher_scripts && mkdir -p data && exec ../env/bin/python3 main.py launcher_scripts_path="$PWD" container="$container" "$@"' nemo ./nemofw.sqsh 'stages=[training]' 'training=gpt3/5b' 'training.trainer.num_nodes=8' 'container_mounts=['\''/var/lib/tcpxo/lib64:/var/lib/tcpxo/lib64'\'','\''/var/tmp:/var/tmp'\'','\''/sys/bus/pci:/sys/bus/pci'\'']' 'cluster.srun_args=['\''--container-writable'\'']' 'training.trainer.max_steps=10' '++env_vars.CUDA_VISIBLE_DEVICES='\''0,1,2,3,4,5,6,7'\''' '++env_vars.LD_LIBRARY_PATH='\''/var/lib/tcpxo/lib64:/usr/lib/x86_64-linux-gnu'\''' '++env_vars.NCCL_BUFFSIZE='\''8388608'\''' '++env_vars.NCCL_CROSS_NIC='\''0'\''' '++env_vars.NCCL_DEBUG='\''WARN'\''' '++env_vars.NCCL_FASTRAK_CTRL_DEV='\''enp0s12'\''' '++env_vars.NCCL_FASTRAK_ENABLE_CONTROL_CHANNEL='\''0'\''' '++env_vars.NCCL_FASTRAK_ENABLE_HOTPATH_LOGGING='\''0'\''' '++env_vars.NCCL_FASTRAK_IFNAME='\''enp6s0,enp7s0,enp13s0,enp14s0,enp134s0,enp135s0,enp141s0,enp142s0'\''' '++env_vars.NCCL_FASTRAK_LLCM_DEVICE_DIRECTORY='\''/dev/aperture_devices'\''' '++env_vars.NCCL_FASTRAK_NUM_FLOWS='\''2'\''' '++env_vars.NCCL_FASTRAK_PLUGIN_ACCEPT_TIMEOUT_MS='\''600000'\''' '++env_vars.NCCL_FASTRAK_USE_LLCM='\''1'\''' '++env_vars.NCCL_FASTRAK_USE_SNAP='\''1'\''' '++env_vars.NCCL_LIB_DIR='\''/var/lib/tcpxo/lib64'\''' '++env_vars.NCCL_MIN_NCHANNELS='\''4'\''' '++env_vars.NCCL_NET_GDR_LEVEL='\''PIX'\''' '++env_vars.NCCL_NVLSTREE_MAX_CHUNKSIZE='\''131072'\''' '++env_vars.NCCL_P2P_NET_CHUNKSIZE='\''524288'\''' '++env_vars.NCCL_P2P_NVL_CHUNKSIZE='\''1048576'\''' '++env_vars.NCCL_P2P_PCI_CHUNKSIZE='\''524288'\''' '++env_vars.NCCL_PROTO='\''Simple,LL128'\''' '++env_vars.NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE='\''/var/lib/tcpxo/lib64/a3plus_guest_config.textproto'\''' '++env_vars.NCCL_SOCKET_IFNAME='\''enp0s12'\''' '++env_vars.NCCL_TUNER_CONFIG_PATH='\''/var/lib/tcpxo/lib64/a3plus_tuner_config.textproto'\''' '++env_vars.NCCL_TUNER_PLUGIN='\''libnccl-tuner.so'\''' 'training.model.data.data_impl=mock' 'training.model.data.data_prefix=[]' 'training.trainer.val_check_interval=10' 'training.trainer.limit_val_batches=0' 'training.exp_manager.create_checkpoint_callback=False' 'training.exp_manager.resume_if_exists=False' 'env_vars.TRANSFORMERS_OFFLINE=0' "$@"
