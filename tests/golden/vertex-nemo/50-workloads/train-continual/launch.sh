#!/usr/bin/env bash
# The launcher of train-continual.
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
# Secrets stay out of the request: each is read with the service account of the job.
secret() {
  python3 -c '
import base64, json, sys, urllib.request
def read(url, **headers):
    return json.load(urllib.request.urlopen(urllib.request.Request(url, headers=headers)))
token = read("http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token", **{"Metadata-Flavor": "Google"})
version = read(f"https://secretmanager.googleapis.com/v1/projects/{sys.argv[1]}/secrets/{sys.argv[2]}/versions/latest:access", Authorization="Bearer " + token["access_token"])
text = base64.b64decode(version["payload"]["data"]).decode()
sys.stdout.write(json.loads(text)[sys.argv[3]] if len(sys.argv) > 3 else text)
' "$@"
}
HF_TOKEN="$(secret my-project hf-token)"
export HF_TOKEN
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
link /gcs/my-project-results/continual /results
mkdir -p -- /tmp/models
export LD_LIBRARY_PATH=/usr/local/nvidia/lib64"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
"${@:1:4}"
shift 4
exec torchrun --nnodes=8 --nproc_per_node=8 --node_rank="$NODE_RANK" --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" "$@"
