#!/usr/bin/env bash
# Submits jobs of which some wait for others, each behind what it waits for itself: compile bandwidth.
# A test that nothing here waits for is waited for until it has ended, and what comes behind it is not submitted where it fails.
# Where one is not submitted, those before it are: `scancel` takes them away.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

JOB_COMPILE="$("$here"/../compile/submit.sh --parsable | tail -n 1)"
JOB_COMPILE="${JOB_COMPILE%%;*}"
echo compile "is job $JOB_COMPILE"

JOB_BANDWIDTH="$(JOB_COMPILE="$JOB_COMPILE" "$here"/../bandwidth/submit.sh --parsable --wait | tail -n 1)"
JOB_BANDWIDTH="${JOB_BANDWIDTH%%;*}"
echo bandwidth "is job $JOB_BANDWIDTH"
