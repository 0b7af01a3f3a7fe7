#!/usr/bin/env bash
# The launcher of train-volta.
# Runs in every container before the training, which its arguments name. submit.sh puts it into the request.
set -euo pipefail
# The primary is node 0, and replica i of the workers is node i + 1.
read -r NODE_RANK MASTER_ADDR < <(python3 -c '
import json, os
spec = json.loads(os.environ["CLUSTER_SPEC"])
task = spec["task"]
print(int(task["index"]) + (task["type"] != "workerpool0"), spec["cluster"]["workerpool0"][0].rsplit(":", 1)[0])
')
export NODE_RANK MASTER_ADDR MASTER_PORT=29500
# Puts a mounted folder where the training expects it.
link() {
  if [[ ! -d "$1" ]]; then mkdir -p -- "$1"; fi
  mkdir -p -- "$(dirname -- "$2")"
  # what the image has there would be hidden by a mount, and is moved aside
  if [[ -e "$2" && ! -L "$2" ]] && ! rmdir -- "$2" 2>/dev/null; then
    mv -T -- "$2" "$2.image" || {
      echo "$2 of the image cannot make way for $1: mount it elsewhere" >&2
      exit 1
    }
    echo "what the image has at $2 is now at $2.image" >&2
  fi
  ln -sfn -- "$1" "$2"
  # where this was the folder to start in, it is now the mounted one
  cd -- "$PWD" 2>/dev/null || cd /
}
link /gcs/my-project-results/volta /results
exec torchrun --nnodes=5 --nproc_per_node=8 --node_rank="$NODE_RANK" --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" "$@"
