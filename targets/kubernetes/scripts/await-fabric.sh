trap 'exit 143' TERM
for ((tries = 120; tries > 0; tries--)); do
  if [ -e "$installed" ]; then break; fi
  sleep 5
done
trap - TERM
if [ ! -e "$installed" ]; then
  echo "the NCCL plugin did not arrive on this node within 10 minutes ($installed is missing): see the installers among the pods of kube-system" >&2
  exit 75
fi
