# Every node runs a secure shell daemon; the first starts the processes of all. The key is the image's own, or the
# secret that is mounted at /etc/mpi-ssh with `id` and `id.pub`.
set -e
mkdir -p /run/sshd ~/.ssh
chmod 700 ~/.ssh
remote=(ssh -p "$SSH_PORT" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR)
if [ -e /etc/mpi-ssh/id ]; then
  install -m 600 /etc/mpi-ssh/id ~/.ssh/id_mpi
  cat /etc/mpi-ssh/id.pub >> ~/.ssh/authorized_keys
  chmod 600 ~/.ssh/authorized_keys
  remote+=(-i ~/.ssh/id_mpi)
fi
ssh-keygen -A
/usr/sbin/sshd -p "$SSH_PORT"
if [ "$NODE_RANK" != 0 ]; then
  trap 'exit 143' TERM INT
  until [ -e /tmp/mpi-done ]; do sleep 2; done
  exit 0
fi
hosts=()
for ((node = 0; node < NNODES; node++)); do
  host="$HOST_PREFIX$node$HOST_SUFFIX"
  until "${remote[@]}" "$host" true; do sleep 5; done
  echo "$host slots=$LOCAL_WORLD_SIZE" >> /tmp/hostfile
  hosts+=("$host")
done
exports=()
while read -r name; do
  case $name in
    HOSTNAME | NODE_RANK | JOB_COMPLETION_INDEX | HOME | PWD | OLDPWD | SHLVL | _ | KUBERNETES_*) ;;
    *) exports+=(-x "$name") ;;
  esac
done < <(compgen -e)
mpirun --allow-run-as-root --hostfile /tmp/hostfile -np "$WORLD_SIZE" --bind-to none \
  --mca plm_rsh_agent "${remote[*]}" --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1 \
  --mca btl self,tcp --mca btl_tcp_if_include "$SOCKET_INTERFACE" "${exports[@]}" "$@" &
mpirun=$!
trap 'kill -TERM "$mpirun"' TERM INT
status=0
wait "$mpirun" || status=$?
wait "$mpirun" || true
for host in "${hosts[@]}"; do
  "${remote[@]}" "$host" touch /tmp/mpi-done || true
done
exit "$status"
