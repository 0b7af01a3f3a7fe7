#!/usr/bin/env bash
# <{ title | note }>
# Runs in every container before the training, which its arguments name. submit.sh puts it into the request.
set -euo pipefail
%% if nodes > 1 and beside
# Replicas are numbered within their worker pool, and meet at its first.
read -r NODE_RANK MASTER_ADDR < <(python3 -c '
import json, os
spec = json.loads(os.environ["CLUSTER_SPEC"])
task = spec["task"]
print(int(task["index"]), spec["cluster"][task["type"]][0].rsplit(":", 1)[0])
')
%% elif nodes > 1
# The primary is node 0, and replica i of the workers is node i + 1.
read -r NODE_RANK MASTER_ADDR < <(python3 -c '
import json, os
spec = json.loads(os.environ["CLUSTER_SPEC"])
task = spec["task"]
print(int(task["index"]) + (task["type"] != "workerpool0"), spec["cluster"]["workerpool0"][0].rsplit(":", 1)[0])
')
%% else
NODE_RANK=0 MASTER_ADDR=localhost
%% endif
export NODE_RANK MASTER_ADDR MASTER_PORT=<{ port }>
%% for pool in hosts
# The first replica of worker pool <{ pool }>.
POOL_<{ pool }>="$(python3 -c '
import json, os
print(json.loads(os.environ["CLUSTER_SPEC"])["cluster"]["workerpool<{ pool }>"][0].rsplit(":", 1)[0])
')"
%% endfor
%% if secrets
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
%% for secret in secrets
<{ secret.variable | name }>="$(secret <{ project | sh }> <{ secret.name | sh }><% if secret.key %> <{ secret.key | sh }><% endif %>)"
export <{ secret.variable | name }>
%% endfor
%% endif
%% if links
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
%% for link in links
link <{ link.source | sh }> <{ link.path | sh }>
%% endfor
%% endif
%% for folder in scratch
mkdir -p -- <{ folder | sh }>
%% endfor
%% if own and (script or library_path)
# What the blueprint says wins against what the stack sets.
own=()
for name in<% for name in own %> <{ name | name }><% endfor %>; do own+=("$name=${!name}"); done
%% endif
%% if script
set +u
source <{ script | sh }>
set -u
%% endif
%% if library_path
export LD_LIBRARY_PATH=<{ library_path | sh }>"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
%% endif
%% if own and (script or library_path)
export "${own[@]}"
%% endif
%% for variable in env
export <{ variable.name | name }>=<{ variable.value | word }>
%% endfor
%% for it in words
set -- "${@:1:<{ it.before }>}" <{ it.word | word }> "${@:<{ it.after }>}"
%% endfor
%% if parameters
# The parameters of a trial stand behind these words, and the program reads them as it does its other options.
parameters=("${@:<{ parameters + 1 }>}")
set -- "${@:1:<{ parameters }>}" "${parameters[@]#--}"
%% endif
%% if workdir
cd -- <{ workdir | sh }>
%% endif
%% for words in setup
"${@:1:<{ words }>}"
shift <{ words }>
%% endfor
%% if cleanup
last=("${@:1:<{ last }>}")
shift <{ last }>
(
%% endif
%% if launcher == "torchrun"
exec torchrun --nnodes=<{ nodes }> --nproc_per_node=<{ processes }> --node_rank="$NODE_RANK" --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" "$@"
%% elif launcher == "torchrun c10d"
exec torchrun --nnodes=<{ nodes }> --nproc_per_node=<{ processes }> --rdzv_backend=c10d --rdzv_endpoint="$MASTER_ADDR:$MASTER_PORT" --rdzv_id="$CLOUD_ML_JOB_ID" "$@"
%% elif launcher == "mpirun"
exec mpirun --allow-run-as-root -n <{ processes }> "$@"
%% elif launcher == "ranks"
export WORLD_SIZE=<{ nodes * processes }> LOCAL_WORLD_SIZE=<{ processes }>
ranks=()
for ((rank = 0; rank < <{ processes }>; rank++)); do
  LOCAL_RANK="$rank" RANK="$((NODE_RANK * <{ processes }> + rank))" "$@" &
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
%% else
export RANK="$NODE_RANK" WORLD_SIZE=<{ nodes }> LOCAL_RANK=0 LOCAL_WORLD_SIZE=1
exec "$@"
%% endif
%% if cleanup
) &
child=$!
trap 'kill -TERM "$child" 2>/dev/null || true' TERM
while :; do
  status=0
  wait "$child" || status=$?
  kill -0 "$child" 2>/dev/null || break
done
%% for words in cleanup
"${last[@]:0:<{ words }>}" || echo "clean-up ended with status $?" >&2
last=("${last[@]:<{ words }>}")
%% endfor
exit "$status"
%% endif
