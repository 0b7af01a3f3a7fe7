#!/bin/bash
# Containers lie on the disks of the node: users may not make folders where enroot keeps them by itself.
set -e -o pipefail
if [[ ! -d /etc/enroot ]]; then
  exit
fi
cat >/etc/enroot/enroot.conf <<'CONF'
ENROOT_CONFIG_PATH     ${HOME}/.config/enroot
ENROOT_RUNTIME_PATH    <{ disks | setting }>/${UID}/enroot/runtime
ENROOT_CACHE_PATH      <{ disks | setting }>/${UID}/enroot/cache
ENROOT_DATA_PATH       <{ disks | setting }>/${UID}/enroot/data
ENROOT_TEMP_PATH       <{ disks | setting }>/${UID}/enroot
CONF
