# Runs until the processes have ended, however often they are asked to.
"$@" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null || true' TERM INT
while :; do
  status=0
  wait "$child" || status=$?
  kill -0 "$child" 2>/dev/null || break
done
