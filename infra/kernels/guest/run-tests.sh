#!/bin/sh
# Runs the tests that /out/files names, as the user of /out/user, in the leaf of a delegated cgroup, and turns the machine off.
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin HOME=/tmp CI=true NO_COLOR=1 NODE_PATH=/usr/lib/native-packages
user=$(cat /out/user)
mkdir -p /tmp /run /root /dev/shm /dev/pts
chmod 1777 /tmp
busybox mount -t tmpfs -o mode=1777 none /dev/shm
busybox mount -t devpts none /dev/pts
busybox mount -t cgroup2 none /sys/fs/cgroup
busybox ip link set lo up
printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n' >/etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\n' >/etc/group
printf 'root:*:1::::::\n' >/etc/shadow
cp /etc/shadow /etc/gshadow
chmod 600 /etc/shadow /etc/gshadow

# As systemd does for a unit with `Delegate=memory pids` and `DelegateSubgroup=attache-gateway`.
unit=/sys/fs/cgroup/system.slice/attache.service
mkdir -p $unit/attache-gateway
echo '+memory +pids' >/sys/fs/cgroup/cgroup.subtree_control
echo '+memory +pids' >/sys/fs/cgroup/system.slice/cgroup.subtree_control
for place in $unit $unit/attache-gateway; do
  chown "$user:$user" $place $place/cgroup.procs $place/cgroup.subtree_control $place/cgroup.threads
done
echo $$ >$unit/attache-gateway/cgroup.procs

cd /repository || exit
uname -srvm >/out/kernel
setpriv --reuid="$user" --regid="$user" --clear-groups node node_modules/vitest/vitest.mjs run \
  --config infra/kernels/guest/vitest.config.ts --configLoader native \
  --reporter=verbose --reporter=json --outputFile=/tmp/results.json $(cat /out/files) </dev/null 2>&1 | cat
cp /tmp/results.json /out/results.json
ls $unit >/out/left
busybox poweroff -f
