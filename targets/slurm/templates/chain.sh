#!/usr/bin/env bash
# Submits what <{ name | note }> waits for, each behind what it waits for itself, and <{ name | note }> last:<% for link in links %> <{ link.name | note }><% endfor %>.
# Where one is not submitted, those before it are: `scancel` takes them away.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
%% for link in links

<{ link.variable | name }>="$(<% for it in link.after %><{ it | name }>="$<{ it | name }>" <% endfor %>"$here"/../<{ link.name | sh }>/submit.sh --parsable | tail -n 1)"
<{ link.variable | name }>="${<{ link.variable | name }>%%;*}"
echo <{ link.name | sh }> "is job $<{ link.variable | name }>"
%% endfor
