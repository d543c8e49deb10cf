#!/usr/bin/env bash
# Starts systemd as the first process of a root, in namespaces of its own: boot.sh ROOT. It ends with this process. The root is a Debian
# that has systemd; nothing of this machine is visible there but devices that hold nothing.
set -euo pipefail
root=$1
if [ "${2:-}" = inside ]; then
	mount --make-rprivate /
	mount --bind "$root" "$root"
	cd "$root"
	mount -t proc proc proc
	mount -t sysfs sysfs sys -o ro
	mount -t tmpfs tmpfs run
	mount -t tmpfs tmpfs tmp
	mount -t tmpfs tmpfs dev -o mode=755
	for name in null zero full random urandom tty; do
		touch "dev/$name"
		mount --bind "/dev/$name" "dev/$name"
	done
	mkdir dev/pts dev/shm dev/mqueue
	mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
	ln -s pts/ptmx dev/ptmx
	ln -s /proc/self/fd dev/fd
	if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
		mount -t cgroup2 cgroup2 sys/fs/cgroup
	else
		mount -t tmpfs tmpfs sys/fs/cgroup -o mode=755
		mkdir sys/fs/cgroup/systemd
		mount -t cgroup cgroup sys/fs/cgroup/systemd -o none,name=systemd
	fi
	mkdir -p old
	pivot_root . old
	umount -l /old
	exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console --show-status=1 </dev/null
fi
# A control group of its own, so that this systemd sees no other.
for group in /sys/fs/cgroup/systemd /sys/fs/cgroup; do
	if [ -e "$group/cgroup.procs" ]; then
		mkdir "$group/toolresult.$$"
		echo $$ >"$group/toolresult.$$/cgroup.procs"
		break
	fi
done
exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child "$0" "$root" inside
