# Drivers that a node brings stand beside those of the image.
PATH="$PATH:/usr/local/nvidia/bin"
LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/nvidia/lib64"
export PATH LD_LIBRARY_PATH
sick() {
  echo "${SLURMD_NODENAME:-$(hostname)}: $*" >&2
  exit 75
}
within=
if command -v timeout >/dev/null; then within="timeout 120"; fi
found="$($within nvidia-smi --query-gpu=ecc.errors.uncorrected.volatile.total --format=csv,noheader,nounits)" ||
  sick "nvidia-smi fails, or does not answer: $found"
count=0 counted=0
while read -r errors; do
  count=$((count + 1))
  case "$errors" in
    0) counted=$((counted + 1)) ;;
    "[N/A]" | N/A) ;;
    *) sick "GPU $count of $1 is not well: uncorrected errors of its memory: $errors" ;;
  esac
done <<END
$found
END
[ "$count" -ge "$1" ] || sick "$count GPUs answer, not $1"
# those of one machine count errors alike
[ "$counted" -eq 0 ] || [ "$counted" -eq "$count" ] || sick "$((count - counted)) GPUs do not count errors of their memory"
