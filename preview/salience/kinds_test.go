package salience_test

import (
	"testing"

	"github.com/toolresult/toolresult/preview/salience"
)

// kindLine is a line as a program prints it, and the least that a reader needs of it.
type kindLine struct {
	reason salience.Reason
	least  uint8
}

func checkLines(t *testing.T, lines map[string]kindLine) {
	t.Helper()
	for line, want := range lines {
		if m := classifier.Classify([]byte(line)); m.Reason != want.reason || m.Score < want.least {
			t.Errorf("%q is %v with %d, want %v with %d", line, m.Reason, m.Score, want.reason, want.least)
		}
	}
}

// Consoles: what broke has a score above where it was, with any of the times that consoles have.
func TestConsoles(t *testing.T) {
	checkLines(t, map[string]kindLine{
		"[   57.658354][  T650] BUG: unable to handle page fault for address: ffff888058a67000":         {salience.Crash, 90},
		"[    1.811922] BUG: kernel NULL pointer dereference, address: 0000000000000010":                {salience.Crash, 90},
		"<1>[   82.646346] Unable to handle kernel paging request at virtual address 12005456":          {salience.Crash, 90},
		"[    1.812103] Oops: 0000 [#1] PREEMPT SMP NOPTI":                                              {salience.Crash, 90},
		"Internal error: Oops: 805 [#1] ARM":                                                            {salience.Crash, 90},
		"[ 2.5] general protection fault, probably for non-canonical address 0xdead000000000110":        {salience.Crash, 90},
		"kernel: kernel BUG at mm/slub.c:305!":                                                          {salience.Crash, 90},
		"[ 5738.591049] WARNING: CPU: 0 PID: 6918 at drivers/clk/clk-branch.c:87 clk_toggle+0x170":      {salience.Crash, 90},
		"[ 5738.591049] WARNING: fs/inode.c:407 at drop_nlink+0x4c/0x60, CPU#1: rm/321":                 {salience.Crash, 90},
		"[ 21.09] INFO: task kworker/1:2:50 blocked for more than 120 seconds.":                         {salience.Crash, 90},
		"May 17 18:48:11 host kernel: [ 6141.921740] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!": {salience.Crash, 90},
		"rcu: INFO: rcu_sched self-detected stall on CPU":                                               {salience.Crash, 90},
		"WARNING: possible circular locking dependency detected":                                        {salience.Crash, 90},
		"UBSAN: array-index-out-of-bounds in drivers/net/x.c:12:3":                                      {salience.Crash, 90},
		"[  470.910078] Kernel panic - not syncing: Fatal exception":                                    {salience.Crash, 90},
		"unregister_netdevice: waiting for lo to become free. Usage count = 2":                          {salience.Crash, 90},
		"[    6.684555] tail invoked oom-killer: gfp_mask=0x140dca, order=0, oom_score_adj=0":           {salience.Crash, 90},
		"CPU: 1 PID: 650 Comm: bash Tainted: G      D W  O      5.2.0-rc4 #15":                          {salience.Crash, 70},
		"[    1.812103] RIP: 0010:clear_page_orig+0x12/0x40":                                            {salience.Crash, 80},
		"[  OK  ] Reached target Basic System.\r":                                                       {salience.None, 0},
		"[FAILED] Failed to start OpenBSD Secure Shell server.":                                         {salience.Failure, 86},
		"[DEPEND] Dependency failed for /srv/data.":                                                     {salience.Failure, 86},
		"You are in emergency mode. After logging in, type \"journalctl -xb\" to view":                  {salience.Error, 86},
		"ALERT!  UUID=0a1b does not exist.  Dropping to a shell!":                                       {salience.Error, 86},
		"\"Synchronous Abort\" handler, esr 0x96000004":                                                 {salience.Error, 86},
		"EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory":       {salience.Error, 80},
	})
}

// Reports of crashes: kind, address, and the first frames of the program's own code.
func TestReportsOfCrashes(t *testing.T) {
	checkLines(t, map[string]kindLine{
		"==21397==ERROR: AddressSanitizer: heap-use-after-free on address 0x604000000010 at pc 0x55": {salience.Crash, 90},
		"READ of size 4 at 0x604000000010 thread T0":                                                 {salience.Crash, 80},
		"    #0 0x55d84860d3a7 in order_total /src/orders.c:8":                                       {salience.Crash, 74},
		"SUMMARY: MemorySanitizer: use-of-uninitialized-value x.c:3 in main":                         {salience.Crash, 90},
		"==12==ERROR: libFuzzer: timeout after 25 seconds":                                           {salience.Crash, 90},
		"artifact_prefix='./'; Test unit written to ./crash-da39a3ee":                                {salience.Crash, 70},
		"==21701== Invalid write of size 1":                                                          {salience.Crash, 86},
		"==21701== 8 bytes in 1 blocks are definitely lost in loss record 1 of 3":                    {salience.Crash, 86},
		"Program received signal SIGSEGV, Segmentation fault.":                                       {salience.Crash, 90},
		"* thread #1, queue = 'main', stop reason = EXC_BAD_ACCESS (code=1, address=0x0)":            {salience.Crash, 90},
		"Fatal Python error: Segmentation fault":                                                     {salience.Crash, 90},
		"fatal error: concurrent map writes":                                                         {salience.Crash, 90},
		"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory":          {salience.Crash, 90},
		"# A fatal error has been detected by the Java Runtime Environment:":                         {salience.Crash, 90},
		"# Problematic frame:": {salience.Crash, 86},
		"Unhandled exception. System.InvalidOperationException: Sequence contains no elements": {salience.Crash, 90},
		"app.rb:3: [BUG] Segmentation fault at 0x0000000000000000":                             {salience.Crash, 90},
		"PHP Fatal error:  Uncaught TypeError: f(): Argument #1 must be of type int":           {salience.Crash, 90},
		"bad record 'id=7;;' at import.pl line 12.":                                            {salience.Crash, 70},
		"terminate called after throwing an instance of 'std::out_of_range'":                   {salience.Crash, 90},
		"*** stack smashing detected ***: terminated":                                          {salience.Crash, 90},
		"E/AndroidRuntime(27147): FATAL EXCEPTION: main":                                       {salience.Crash, 90},
		"signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0":                            {salience.Crash, 80},
		"Exception Type:        EXC_BAD_ACCESS (SIGSEGV)":                                      {salience.Crash, 90},
		"Termination Reason:    Namespace DYLD, Code 1 Library missing":                        {salience.Crash, 90},
	})
}

// Logs of servers: the level may be anywhere, and the message may say it without one.
func TestLogsOfServers(t *testing.T) {
	checkLines(t, map[string]kindLine{
		"2026-01-02 03:04:05,678 ERROR    shop.orders: cannot reserve A1":                     {salience.Error, 76},
		"2026-01-02 03:04:05.678 ERROR 4711 --- [main] c.a.Pool : closed":                     {salience.Error, 76},
		`{"level":50,"time":1795599749172,"pid":1,"msg":"cannot write session"}`:              {salience.Error, 76},
		`{"level":"error","ts":1.5,"msg":"lease lost"}`:                                       {salience.Error, 76},
		`time=2026-01-02T03:04:05Z level=error msg="lease lost"`:                              {salience.Error, 76},
		"E0102 03:04:05.678901       1 reflector.go:138] Watch close":                         {salience.Diagnostic, 76},
		"2026/11/25 09:42:01 [crit] 25#25: *3 connect() to unix:/run/app.sock failed":         {salience.Error, 80},
		"[Thu Jan 02 03:04:05.123456 2026] [core:error] [pid 123:tid 1] AH00126: Invalid URI": {salience.Error, 76},
		"2026-01-02 03:04:05.678 UTC [77] app@shop ERROR:  deadlock detected":                 {salience.Error, 86},
		"2026-01-02T03:04:05Z 8 [ERROR] [MY-010119] [Server] Aborting":                        {salience.Error, 80},
		"Jan  2 03:04:05 mx postfix/smtp[77]: 4B: to=<a@b.example>, status=bounced (host x)":  {salience.Error, 80},
		"Jan  2 03:04:05 gw sshd[77]: Failed password for root from 192.0.2.1 port 22 ssh2":   {salience.Error, 80},
		"type=AVC msg=audit(1.2:3): avc:  denied  { read } for  pid=1 comm=\"httpd\"":         {salience.Error, 80},
		"[00:31:14] [Server thread/ERROR]: Could not load 'plugins/Shop.jar' in folder":       {salience.Error, 86},
		"org.bukkit.plugin.UnknownDependencyException: Vault":                                 {salience.Error, 86},
		"[12:00:01] [main/ERROR]: Mixin apply failed shop.mixins.json:PlayerMixin":            {salience.Error, 86},
		"[12:00:01 WARN]: **** FAILED TO BIND TO PORT!":                                       {salience.Error, 70},
		"Mod 'Shop' (shop) 1.2 requires version 2.0 or later of fabric, which is missing!":    {salience.Error, 86},
	})
}

func TestPackageManagers(t *testing.T) {
	checkLines(t, map[string]kindLine{
		"ERROR: No matching distribution found for requests==99.9.1":          {salience.Error, 86},
		"npm error code ERESOLVE":                                             {salience.Error, 86},
		"npm error Could not resolve dependency:":                             {salience.Error, 86},
		" shop-agent : Depends: libc6 (>= 9.0) but 2.36-9 is to be installed": {salience.Error, 80},
		"E: Unable to correct problems, you have held broken packages.":       {salience.Error, 86},
		"  - conflicting requests":                                            {salience.Error, 86},
		"error: failed to select a version for `rand`.":                       {salience.Error, 86},
		"[ERROR] Failed to execute goal on project shop: Could not resolve":   {salience.Exit, 93},
		"PackagesNotFoundError: The following packages are not available":     {salience.Error, 86},
		"   > Could not find com.example:lib:9.9.":                            {salience.Error, 60},
		"Error: No available formula with the name \"nosuch\".":               {salience.Error, 84},
	})
}

// TestQuietKinds has lines of the same programs that say nothing is wrong.
func TestQuietKinds(t *testing.T) {
	for _, line := range []string{
		"[    1.812103] RAX: 0000000000000000 RBX: ffff888012345678 RCX: 0000000000000001",
		"x29: ffff800086ed3990 x28: 0000000000000001 x27: ffff800086ed3cd8",
		"[    1.812103] Modules linked in: widget(OE+) crash_dump error_inject",
		"[    1.812103] Code: 48 83 ec 08 48 8b 15 b0",
		"[    1.812103]  ? __die_body.cold+0x1a/0x1f",
		"  Stack use after scope:   f8", "=>0x0c087fff8000: fa fa[fd]fd fd fd fd fa fa fa fa fa fa fa fa fa",
		"   SIGSEGV: crash_handler in libjvm.so, mask=1110", "2026/11/25 09:41:58 [info] 25936#25936: *1 client closed keepalive connection",
		"2026-01-02 03:04:05.678 UTC [77] LOG:  checkpoint complete: wrote 3 buffers",
		"Jan  2 03:04:05 mx postfix/smtp[77]: 4B: to=<a@b.example>, status=sent (250 ok)",
		"Jan  2 03:04:05 gw sshd[77]: Accepted publickey for root from 192.0.2.1",
		"[00:31:14] [Server thread/INFO]: Done (5.432s)! For help, type \"help\"", `{"level":30,"msg":"served"}`,
		"the third section is located in the attic", "see the file at hand, line 12", "0 errors from 0 contexts",
	} {
		if m := classifier.Classify([]byte(line)); m.Score >= salience.MustKeep {
			t.Errorf("%q is %v with %d", line, m.Reason, m.Score)
		}
	}
}

// A time of a kernel, of syslog or of logcat is one, and the kernel's keeps the indentation behind it.
func TestTimesOfKinds(t *testing.T) {
	for line, want := range map[string]string{
		"[   12.345678]  <TASK>": " <TASK>", "[   12.345678][  T123] x": "x", "<3>[   12.345678] x": "x", "[12.345] x": "x", "[   12.345678][    C0] x": "x",
		"[12.34] x": "[12.34] x", "[ab.345678] x": "[ab.345678] x", "[   12.345678]x": "[   12.345678]x", "[  T12] x": "[  T12] x", "<3> x": "<3> x", "<3>": "<3>",
		"Jan  2 03:04:05 host x": "host x", "Nov 25 09:41:58 host x": "host x", "Mar 5 03:04:05 x": "Mar 5 03:04:05 x", "Sun  2 03:04:05 x": "Sun  2 03:04:05 x",
		"Jan  2 03-04-05 x": "Jan  2 03-04-05 x", "07-08 18:47:25.152 21324 20290 E Tag: x": "21324 20290 E Tag: x", "[   12.345678": "[   12.345678",
	} {
		if got := line[salience.TimeLength([]byte(line)):]; got != want {
			t.Errorf("behind the time of %q is %q, want %q", line, got, want)
		}
	}
}
