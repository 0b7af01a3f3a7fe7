#!/usr/bin/env bash
# The launcher of reduce-8.
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
exec torchrun --nnodes=8 --nproc_per_node=16 --node_rank="$NODE_RANK" --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" "$@"
