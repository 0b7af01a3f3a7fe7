#!/bin/bash
# Containers lie where users may make folders: they may not where enroot keeps them by itself<% if not disks %>, and there are no disks where images of Cluster
# Toolkit keep them<% endif %>.
set -e -o pipefail
if [[ ! -d /etc/enroot ]]; then
  exit
fi
%% if not disks
install -d -m 1777 <{ place | sh }>
%% endif
cat >/etc/enroot/enroot.conf <<'CONF'
ENROOT_CONFIG_PATH     ${HOME}/.config/enroot
ENROOT_RUNTIME_PATH    <{ place | setting }>/${UID}/enroot/runtime
ENROOT_CACHE_PATH      <{ place | setting }>/${UID}/enroot/cache
ENROOT_DATA_PATH       <{ place | setting }>/${UID}/enroot/data
ENROOT_TEMP_PATH       <{ place | setting }>/${UID}/enroot
CONF
%% if plugin
# srun knows of containers by a plugin, which images have, and not all of them name.
for plugin in /usr/lib/*-linux-gnu/slurm/spank_pyxis.so /usr/local/lib/slurm/spank_pyxis.so; do
  if [[ -e "$plugin" ]] && ! grep -rqs spank_pyxis /etc/slurm/ /usr/local/etc/slurm/; then
    install -d -m 755 /etc/slurm/plugstack.conf.d
    echo "optional $plugin" >/etc/slurm/plugstack.conf.d/pyxis.conf
  fi
done
%% endif
