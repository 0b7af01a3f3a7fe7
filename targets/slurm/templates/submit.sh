#!/usr/bin/env bash
# Submits <{ script | note }>. Options of sbatch may follow, such as --begin=22:00.
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

%% include "before-sbatch.sh"
%% if awaited

# What it waits for in the queue<% if joint == "?" %>: one of these<% endif %>. A job that has ended long ago is forgotten: its number may be empty<% if joint == "?" %>, and is enough<% endif %>.
dependencies=()
%% if joint == "?"
ended=''
%% endif
%% for one in awaited
%% if one.variable
: "${<{ one.variable | name }>?the number of job <{ one.name | name }>, or nothing where it has ended: chain.sh submits both}"
%% if joint == "?"
[[ -n "$<{ one.variable | name }>" ]] || ended=1
%% endif
[[ -z "$<{ one.variable | name }>" ]] || dependencies+=(<{ one.before | sh }>"$<{ one.variable | name }>"<% if one.behind %><{ one.behind | sh }><% endif %>)
%% else
dependencies+=(<{ one.before | sh }>)
%% endif
%% endfor
%% if joint == "?"
[[ -z "$ended" ]] || dependencies=()
%% endif
# One on the command line is one more<% if joint == "?" %> of which one is enough<% endif %>, and would otherwise take the place of these.
words=("$@")
set --
for ((word = 0; word < ${#words[@]}; word++)); do
  case "${words[word]}" in
    -d | --dependency) dependencies+=("${words[++word]?a dependency is missing}") ;;
    --dependency=*) dependencies+=("${words[word]#*=}") ;;
    -d*) dependencies+=("${words[word]#-d}") ;;
    *) set -- "$@" "${words[word]}" ;;
  esac
done
joined="$(IFS=<{ joint | sh }>; echo "${dependencies[*]}")"
if [[ "$joined" == *'?'* && <% if joint == "?" %>"$joined" == *,*<% else %>${#dependencies[@]} -gt 1<% endif %> ]]; then
  echo "sbatch takes dependencies of which one is enough, joined by \`?\`, with no others: $joined" >&2
  exit 2
fi
[[ -z "$joined" ]] || set -- --dependency="$joined" "$@"
%% endif

%% if folders
# A job whose log has no folder dies without a word.
mkdir -p --<% for folder in folders %> <{ folder | word }><% endfor %>

%% endif
%% if logs
%% if not folders
# A job whose log has no folder dies without a word.
%% endif
logs=<{ logs | sh }>
logs="${LOGS:-$logs}"
mkdir -p -- "$logs"
exec sbatch --output="$logs/<% if array %>%x-%A_%a.out<% else %>%x-%j.out<% endif %>" "$@" "$here"/<{ script | sh }>
%% else
exec sbatch "$@" "$here"/<{ script | sh }>
%% endif
