# One process a GPU, each with its rank. The first that fails ends the others.
set -e
workers=()
stop() { kill -TERM "${workers[@]}" 2>/dev/null || true; }
trap stop TERM INT
for ((local_rank = 0; local_rank < LOCAL_WORLD_SIZE; local_rank++)); do
  declare -i rank="NODE_RANK * LOCAL_WORLD_SIZE + local_rank"
  RANK=$rank LOCAL_RANK=$local_rank "$@" &
  workers+=($!)
done
status=0
for worker in "${workers[@]}"; do
  wait -n || { status=$?; break; }
done
stop
wait || true
exit "$status"
