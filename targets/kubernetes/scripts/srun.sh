# One process a GPU, each with its rank. The first that fails ends the others.
set -e
workers=()
# Each is asked to end once: what it writes then is not disturbed.
asked=
stop() {
  [[ -z "$asked" ]] || return 0
  asked=yes
  kill -TERM "${workers[@]}" 2>/dev/null || true
}
trap stop TERM INT
for ((local_rank = 0; local_rank < LOCAL_WORLD_SIZE; local_rank++)); do
  [[ -z "$asked" ]] || break
  declare -i rank="NODE_RANK * LOCAL_WORLD_SIZE + local_rank"
  RANK=$rank LOCAL_RANK=$local_rank "$@" &
  workers+=($!)
done
status=0
running=("${workers[@]}")
while ((${#running[@]} > 0 && status == 0)); do
  sleep 1 &
  wait $! || true
  left=()
  for worker in "${running[@]}"; do
    if kill -0 "$worker" 2>/dev/null; then left+=("$worker"); else wait "$worker" || status=$?; fi
  done
  running=("${left[@]}")
done
stop
# A signal interrupts `wait`, so it is asked again until none is left: with this script the others would be killed.
for worker in "${workers[@]}"; do
  while kill -0 "$worker" 2>/dev/null; do wait "$worker" || true; done
done
exit "$status"
