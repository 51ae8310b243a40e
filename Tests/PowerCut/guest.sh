# Inside the other kernel, as its first process. To be sourced. The root is the host's, by hostfs: what is written
# there is on the host at once, so acknowledgements and the report survive the kernel's death.
# The kernel's command line sets $shared, the directory of both sides, and what the script needs.
#
# shellcheck shell=bash

export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /mnt
mountpoint -q /dev || mount -t devtmpfs dev /dev
mkdir -p /mnt/disk

# Where the package puts its modules is not where modprobe looks.
mkdir -p /run/modules/lib/modules
ln -s "/usr/lib/uml/modules/$(uname -r)" /run/modules/lib/modules/
modules() {
  local name
  for name in "$@"; do modprobe -d /run/modules "$name"; done
}

saver=$shared/saver
# shellcheck disable=SC2034 # for verdict.sh
report=$shared/report
# shellcheck source=verdict.sh
. "$shared/verdict.sh"

# Nothing is unmounted or synchronised. The host waits for `done`.
power_off() {
  touch "$shared/done"
  echo o > /proc/sysrq-trigger
  sleep 60
}
