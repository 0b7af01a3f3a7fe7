# Lets the data networks through the node's firewall, loads the module that shares GPU memory with network cards, and
# shows those cards under /dev/aperture_devices, where the plugin looks for them.
set -eu
/sbin/iptables -C INPUT -p tcp -m tcp -j ACCEPT 2>/dev/null || /sbin/iptables -I INPUT -p tcp -m tcp -j ACCEPT
modprobe import-helper
root=/dev/aperture_devices
mkdir -p "$root"
lspci -Dnn | grep '1ae0:0084' | while read -r address _; do
  mkdir -p "$root/$address"
  umount -R "$root/$address" 2>/dev/null || true
  readlink -f "/sys/bus/pci/devices/$address" | {
    read -r device
    mount --bind "$device" "$root/$address"
  }
done
chmod -R a+r "$root"
chmod a+rw "$root"/*/resource*
