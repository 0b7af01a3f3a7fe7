#!/usr/bin/env bash
# Submits jobs of which some wait for others, each behind what it waits for itself: prepare count pretrain measure.
# Where one is not submitted, those before it are: `scancel` takes them away.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

JOB_PREPARE="$("$here"/../prepare/submit.sh --parsable | tail -n 1)"
JOB_PREPARE="${JOB_PREPARE%%;*}"
echo prepare "is job $JOB_PREPARE"

JOB_COUNT="$(JOB_PREPARE="$JOB_PREPARE" "$here"/../count/submit.sh --parsable | tail -n 1)"
JOB_COUNT="${JOB_COUNT%%;*}"
echo count "is job $JOB_COUNT"

JOB_PRETRAIN="$(JOB_PREPARE="$JOB_PREPARE" "$here"/../pretrain/submit.sh --parsable | tail -n 1)"
JOB_PRETRAIN="${JOB_PRETRAIN%%;*}"
echo pretrain "is job $JOB_PRETRAIN"

JOB_MEASURE="$(JOB_PRETRAIN="$JOB_PRETRAIN" "$here"/../measure/submit.sh --parsable | tail -n 1)"
JOB_MEASURE="${JOB_MEASURE%%;*}"
echo measure "is job $JOB_MEASURE"
