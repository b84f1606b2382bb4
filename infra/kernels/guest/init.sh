#!/bin/busybox sh
# Process 1 of the initramfs: makes a root in memory, since none can be pivoted away from an initramfs, and goes on there.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
fail() { echo "kernels: $*"; poweroff -f; }
for module in $(cat /modules/order); do insmod "/modules/$module" || fail "insmod $module"; done
share() { mount -t 9p -o "trans=virtio,version=9p2000.L,msize=512000,$3" "$1" "$2" || fail "share $1"; }

mount -t tmpfs -o mode=755 none /new
cd /new && mkdir system repository out lower changes && chmod 755 repository
share system /new/system ro,cache=loose
tar -x -f /new/system/system.tar || fail 'tar'
share out /new/out rw
share repository /new/lower ro,cache=loose
mkdir changes/upper changes/work
mount -t overlay -o lowerdir=/new/lower,upperdir=/new/changes/upper,workdir=/new/changes/work none repository || fail overlay
chmod 755 repository
for place in proc sys dev; do mkdir -p $place && mount --move /$place /new/$place; done
exec switch_root /new /bin/sh /repository/infra/kernels/guest/run-tests.sh
