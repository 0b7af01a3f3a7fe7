#!/usr/bin/env bash
%% if nodes == 1
# Makes the machine <{ name | note }>-0001 of the template that Terraform keeps, where it is not there yet.
%% else
# Makes those of the <{ nodes }> machines <{ name | note }>-0001 and so on that are not there yet, all at once, of the template that Terraform keeps.
%% endif
set -euo pipefail
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
for tool in gcloud terraform; do
  command -v "$tool" >/dev/null || {
    echo "$tool is not on the PATH" >&2
    exit 1
  }
done

there="$(gcloud compute instances list<% if project %> --project=<{ project | sh }><% endif %> --zones=<{ zone | sh }> --filter=<{ ("name ~ \"^" ~ name ~ "-[0-9]{4,6}$\"") | sh }> --format='value(name)')"
while read -r machine; do
  if [[ -n "$machine" ]] && ((10#${machine##*-} > <{ nodes }>)); then
    echo "$machine is beyond the <{ nodes }> that are to be, and is paid for: $here/delete.sh surplus" >&2
  fi
done <<<"$there"
missing=()
for number in $(seq 1 <{ nodes }>); do
  printf -v machine '%s-%04d' <{ name | sh }> "$number"
  grep -qxF -- "$machine" <<<"$there" || missing+=("$machine")
done
if ((${#missing[@]} == 0)); then
  echo "all that are to be are there"
  exit
fi

template="$(terraform -chdir="$here" output -raw <{ template | sh }>)"
%% if nodes == 1
gcloud compute instances create "${missing[0]}"<% if project %> --project=<{ project | sh }><% endif %> --zone=<{ zone | sh }> --source-instance-template="$template"
%% else
printf -v names '%s,' "${missing[@]}"
gcloud compute instances bulk create --predefined-names="${names%,}"<% if project %> --project=<{ project | sh }><% endif %> --zone=<{ zone | sh }> --source-instance-template="$template"
%% endif
