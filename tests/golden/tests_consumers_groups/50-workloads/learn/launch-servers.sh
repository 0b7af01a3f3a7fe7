#!/usr/bin/env bash
# The launcher of the servers of learn.
# Runs in every container before the training, which its arguments name. submit.sh puts it into the request.
set -euo pipefail
# Replicas are numbered within their worker pool, and meet at its first.
read -r NODE_RANK MASTER_ADDR < <(python3 -c '
import json, os
spec = json.loads(os.environ["CLUSTER_SPEC"])
task = spec["task"]
print(int(task["index"]), spec["cluster"][task["type"]][0].rsplit(":", 1)[0])
')
export NODE_RANK MASTER_ADDR MASTER_PORT=6000
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
link /mnt/nfs/home /home/shared
mkdir -p -- /scratch
export WORLD_SIZE=6 LOCAL_WORLD_SIZE=2
ranks=()
for ((rank = 0; rank < 2; rank++)); do
  LOCAL_RANK="$rank" RANK="$((NODE_RANK * 2 + rank))" "$@" &
  ranks+=("$!")
done
# The first rank that fails takes the others with it.
trap 'kill "${ranks[@]}" 2>/dev/null || true' EXIT
trap 'exit 143' TERM
while ((${#ranks[@]} > 0)); do
  for at in "${!ranks[@]}"; do
    if ! kill -0 "${ranks[at]}" 2>/dev/null; then
      wait "${ranks[at]}"
      unset "ranks[at]"
    fi
  done
  sleep 1
done
