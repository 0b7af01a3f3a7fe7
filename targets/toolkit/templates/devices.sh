#!/bin/bash
# slurmd starts once the devices of the GPUs' network are there: a job that began before would find none of them.
set -e -o pipefail
install -d -m 755 /etc/systemd/system/slurmd.service.d
cat >/etc/systemd/system/slurmd.service.d/devices.conf <<'UNIT'
[Service]
ExecStartPre=/usr/bin/timeout 60 /bin/sh -c 'until find <{ devices | setting }> -mindepth 1 2>/dev/null | grep -q .; do sleep 2; done'
UNIT
systemctl daemon-reload
