package salience

import "slices"

// The rules of this file and of reports.go, servers.go and packages.go are for the documented messages of programs, most of
// them in lists: a list names its programs, and all of its literals have one reason and one score. They are first of all
// for outputs that are no build and no test run.

// say returns rules of one reason and score for literals that may be anywhere in a line, with the lines after it that
// belong to it.
func say(reason Reason, score, after uint8, literals ...string) []Rule {
	rules := make([]Rule, len(literals))
	for i, l := range literals {
		rules[i] = Rule{Literal: l, Reason: reason, Score: score, After: after}
	}
	return rules
}

// list returns rules as say does, whose lines after them matter as much, up to an empty one.
func list(reason Reason, score, after uint8, literals ...string) []Rule {
	rules := say(reason, score, after, literals...)
	for i := range rules {
		rules[i].List = true
	}
	return rules
}

// consoles are what kernels, boot loaders and init systems print on a console. A kernel says first what broke, then on
// which processor and for which process, and then where.
func consoles() []Rule {
	return slices.Concat(kernelCrashes(), kernelStalls(), kernelChecks(), kernelPlaces(), devices(), boots())
}

// kernelCrashes are how the Linux kernel begins the report of a crash.
func kernelCrashes() []Rule {
	return slices.Concat(
		[]Rule{
			{Literal: "BUG: ", Place: Word, Reason: Crash, Score: 93, Before: 1, After: 8},
			{Literal: "Oops: ", Place: Word, Reason: Crash, Score: 92, Before: 3, After: 4},
			{Literal: "WARNING: CPU: ", Reason: Crash, Score: 92, Before: 1, After: 3},
			{Literal: "WARNING: ", Place: First, Reason: Crash, Score: 92, Before: 1, After: 3, only: atProcessor},
			{Literal: "Internal error: ", Place: First, Reason: Crash, Score: 92, Before: 3, After: 4},
			{Literal: "double fault", Place: Word, Reason: Crash, Score: 93, After: 4},
			{Literal: "divide error: ", Place: Word, Reason: Crash, Score: 93, After: 4},
			{Literal: "invalid opcode: ", Place: Word, Reason: Crash, Score: 90, Before: 1, After: 4},
		},
		say(Crash, 93, 6, "kernel BUG at ", "unable to handle kernel ", "general protection fault", "Unable to handle kernel "),
		say(Crash, 93, 4, "refcount_t: ", "list_del corruption", "list_add corruption", "Bad page state", "usercopy: Kernel memory",
			"Unhandled fault: ", "Unhandled prefetch abort", "sysrq: Trigger a crash"),
	)
}

// kernelStalls are what the watchdogs of the Linux kernel say of tasks and processors that do not go on, and what it says
// when memory is used up.
func kernelStalls() []Rule {
	return slices.Concat(
		say(Crash, 93, 5, "soft lockup", "hard LOCKUP"),
		say(Crash, 93, 5, " blocked for more than ", "self-detected stall", "detected stalls on CPU", "detected expedited stalls"),
		say(Crash, 88, 2, "kthread starved for ", "nobody cared (try booting"),
		say(Crash, 92, 1, "unregister_netdevice: waiting for"),
		say(Crash, 93, 1, " invoked oom-killer", "Out of memory: Kill", "Memory cgroup out of memory"),
		say(Crash, 88, 0, "oom-kill:constraint", ": page allocation failure"),
	)
}

// kernelChecks are the reports of lockdep, the kernel's sanitizers and its other checks.
func kernelChecks() []Rule {
	return slices.Concat(
		say(Crash, 93, 5, "possible circular locking", "possible recursive locking", "inconsistent lock state", "possible irq lock inversion",
			"suspicious RCU usage", "bad unlock balance", "held lock freed", "lock held when returning to user"),
		say(Crash, 78, 2, "is trying to acquire lock", "task is already holding lock", "trying to register non-static key"),
		say(Crash, 93, 5, "KASAN: ", "KCSAN: ", "KMSAN: ", "KFENCE: ", "UBSAN: "),
		say(Crash, 78, 4, "Allocated by task ", "Freed by task ", "Uninit was created at", "value changed: ", "buggy address belongs to"),
		say(Crash, 86, 3, "kmemleak: ", "unreferenced object 0x"),
	)
}

// kernelPlaces say on behalf of whom the kernel ran, and where: on x86, 64-bit and 32-bit ARM, RISC-V and PowerPC. The
// instruction pointer of the process (segment 0033) says little.
func kernelPlaces() []Rule {
	return slices.Concat(
		[]Rule{
			{Literal: " Comm: ", Reason: Crash, Score: 82},
			{Literal: "RIP: 0010:", Place: First, Reason: Crash, Score: 86},
			{Literal: "RIP: 0033:", Place: First, Reason: Crash, Score: 20},
			{Literal: "EIP: ", Place: First, Reason: Crash, Score: 84},
			{Literal: "pc : ", Place: First, Reason: Crash, Score: 84},
			{Literal: "epc : ", Place: First, Reason: Crash, Score: 84},
			{Literal: "PC is at ", Place: First, Reason: Crash, Score: 86},
			{Literal: "NIP [", Place: First, Reason: Crash, Score: 82},
			{Literal: "#PF: ", Place: First, Reason: Crash, Score: 78},
			{Literal: "Call trace:", Place: First, Reason: Crash, Score: 76, After: 8},
			{Literal: "Workqueue: ", Place: First, Reason: Crash, Score: 74},
			{Literal: "-[ cut here ]-", Reason: Crash, Score: 62, After: 4},
		},
	)
}

// devices are what Linux says of disks, file systems and hardware that failed.
func devices() []Rule {
	return say(Error, 88, 1, "I/O error, dev ", "EXT4-fs error", "BTRFS error", "BTRFS critical", "XFS_WANT_CORRUPTED", "Remounting filesystem read-only",
		"[Hardware Error]", "Buffer I/O error", "link is not ready", "firmware: failed to load", "segfault at ", "traps: ")
}

// boots are how a start of a machine fails: U-Boot, the initial file systems of Debian and dracut, and systemd.
func boots() []Rule {
	return slices.Concat(
		say(Error, 92, 2, "\"Synchronous Abort\" handler", "Bad Linux ARM64 Image", "Wrong Image Format", "Bad Data CRC", "SCRIPT FAILED", "Please RESET the board",
			"TFTP error", "No partition table - "),
		say(Error, 92, 2, "Dropping to a shell", "emergency mode", "emergency shell", "Cannot open root device", "No working init found",
			"Unable to mount root", "Gave up waiting for", "dracut-initqueue timeout"),
		say(Failure, 90, 1, "Dependency failed for ", "Failed to start ", "Failed to mount ", "Timed out waiting for device"),
		say(Error, 84, 1, "Failed with result ", "Main process exited, code=", "entered failed state", "Start request repeated too quickly"),
	)
}
