#!/usr/bin/env bash
# Submits jobs of which some wait for others, each behind what it waits for itself:<% for link in links %> <{ link.name | note }><% endfor %>.
%% if links | selectattr("waits") | list
# A test that nothing here waits for is waited for until it has ended, and what comes behind it is not submitted where it fails.
%% endif
# Where one is not submitted, those before it are: `scancel` takes them away.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
%% for link in links

<{ link.variable | name }>="$(<% for it in link.after %><{ it | name }>="$<{ it | name }>" <% endfor %>"$here"/../<{ link.name | sh }>/submit.sh --parsable<% if link.waits %> --wait<% endif %> | tail -n 1)"
<{ link.variable | name }>="${<{ link.variable | name }>%%;*}"
echo <{ link.name | sh }> "is job $<{ link.variable | name }>"
%% endfor
