# Drivers that a node brings stand beside those of the image.
PATH="$PATH:/usr/local/nvidia/bin"
LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/nvidia/lib64"
export PATH LD_LIBRARY_PATH
sick() {
  echo "$(hostname): $*" >&2
  exit 75
}
found="$(nvidia-smi --query-gpu=index,ecc.errors.uncorrected.volatile.total --format=csv,noheader,nounits)" ||
  sick "nvidia-smi fails: $found"
count="$(echo "$found" | grep -c .)"
[ "$count" -ge "$1" ] || sick "$count GPUs answer, not $1"
lost="$(echo "$found" | awk -F ", " "\$2 ~ /^[0-9]+\$/ && \$2 > 0")"
[ -z "$lost" ] || sick "GPUs have lost memory for good (number, errors): $lost"
