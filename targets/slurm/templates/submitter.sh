#!/usr/bin/env bash
# Starts what submits jobs of its own to <{ partition | note }>. Further words of its command may follow.
set -euo pipefail
%% if submission.deferred
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
%% endif

%% set login = submission.login
%% set deferred = submission.deferred
%% set files = submission.files
%% set images = submission.images
%% include "before-sbatch.sh"
%% for secret in secrets

# <{ secret.note | note }>
if [[ -z "${<{ secret.variable | name }>:-}" ]]; then
  <{ secret.variable | name }>="$(cat -- "$HOME"/<{ secret.file | sh }>)" || {
    echo <{ secret.help | sh }> >&2
    exit 1
  }
fi
export <{ secret.variable | name }>
%% endfor

# Options of all jobs that come of it. They win against those that its scripts say, but not against those of sbatch's own command line.
%% for variable in said
export <{ variable.name | name }>=<{ variable.value | word }>
%% endfor
exec <% if env %>env<% for variable in env %> <{ variable.name | name }>=<{ variable.value | word }><% endfor %> <% endif %><{ command | words }> "$@"
