package salience

import (
	"fmt"
	"slices"
)

// reports are what crashes leave behind: reports of sanitizers, fuzzers and debuggers, of interpreters and virtual
// machines, and of operating systems. They say first what kind of crash it was, then at which address, and then where.
func reports() []Rule {
	return slices.Concat(sanitizers(), debuggers(), libraries(), interpreters(), machines(), systems())
}

// sanitizers are those of LLVM and GCC, Valgrind, and the fuzzers libFuzzer, AFL and honggfuzz.
func sanitizers() []Rule {
	return slices.Concat(
		say(Crash, 93, 8, "MemorySanitizer", "UndefinedBehaviorSanitizer", "ERROR: libFuzzer: ", "PROGRAM ABORT"),
		say(Crash, 88, 4, "READ of size ", "WRITE of size ", "Read of size ", "Write of size ", "Previous write of ", "Previous read of ", "SCARINESS: "),
		say(Crash, 80, 3, "freed by thread ", "allocated by thread ", "Direct leak of ", "Indirect leak of ", "is located in stack of"),
		say(Crash, 76, 2, "Location is global ", "Location is heap ", "-byte region [", "Test unit written to ", "artifact_prefix="),
		say(Crash, 92, 5, "Invalid read of size ", "Invalid write of size ", "Invalid free() ", "Mismatched free() ", "Process terminating with default action",
			"depends on uninitialised", "Use of uninitialised value", "points to uninitialised", " are definitely lost in", "Possible data race"),
		say(Summary, 84, 0, "ERROR SUMMARY: ", "SUMMARY: ", "reported 1 warnings"),
	)
}

// debuggers are GDB, LLDB and the readers of minidumps, and the frames of a native stack. The first frames say where.
func debuggers() []Rule {
	rules := slices.Concat(
		say(Crash, 93, 4, "Program received signal ", "Program terminated with signal ", " received signal SIG", "stop reason = "),
		say(Crash, 88, 2, "Crash reason: ", "Crash address: ", " (crashed)", "FAILURE_BUCKET_ID: ", "FAULTING_"),
	)
	for n := range 5 {
		score := uint8(74 - 2*n)
		rules = append(rules,
			Rule{Literal: fmt.Sprintf("#%d 0x", n), Place: First, Reason: Crash, Score: score},
			Rule{Literal: fmt.Sprintf("#%d  0x", n), Place: First, Reason: Crash, Score: score},
			Rule{Literal: fmt.Sprintf("#%02d pc ", n), Reason: Crash, Score: score},
		)
	}
	return rules
}

// libraries are the C and C++ libraries, and the names of signals.
func libraries() []Rule {
	return slices.Concat(
		say(Crash, 93, 2, "terminate called ", "stack smashing detected", "buffer overflow detected", "double free or corruption", "free(): invalid", "free(): double",
			"corrupted size vs. prev_size", "munmap_chunk(): ", "pure virtual method called"),
		[]Rule{
			{Literal: "what(): ", Place: First, Reason: Crash, Score: 90},
			{Literal: "malloc(): ", Place: First, Reason: Crash, Score: 92},
			{Literal: "SIGSEGV", Place: Word, Next: " ,).;]", Reason: Crash, Score: 86, Before: 1, After: 2},
			{Literal: "SIGABRT", Place: Word, Next: " ,).;]", Reason: Crash, Score: 84, Before: 1, After: 2},
			{Literal: "SIGBUS", Place: Word, Next: " ,).;]", Reason: Crash, Score: 84, Before: 1, After: 2},
			{Literal: "SIGILL", Place: Word, Next: " ,).;]", Reason: Crash, Score: 84, Before: 1, After: 2},
			{Literal: "SIGFPE", Place: Word, Next: " ,).;]", Reason: Crash, Score: 84, Before: 1, After: 2},
			{Literal: "Bus error", Place: Word, Reason: Crash, Score: 86, Before: 2},
			{Literal: "Illegal instruction", Place: Word, Reason: Crash, Score: 86, Before: 2},
			{Literal: "Floating point exception", Place: Word, Reason: Crash, Score: 86, Before: 2},
			{Literal: "dumped core", Reason: Crash, Score: 86, After: 4},
		},
	)
}

// interpreters are those of Python, Ruby, PHP, Perl, Lua, Erlang, Haskell and OCaml, and the runtimes of Go and Rust.
func interpreters() []Rule {
	return slices.Concat(
		say(Crash, 93, 3, "Fatal Python error: ", "[BUG] ", "PHP Fatal error: ", "PHP Parse error: ", "Fatal error: Uncaught ", "fatal runtime error: "),
		list(Crash, 88, 6, "Current thread 0x"),
		say(Crash, 88, 5, "=ERROR REPORT====", "=CRASH REPORT====", "** Reason for termination", "[signal SIG"),
		say(Crash, 76, 3, "most recent call first", "stack traceback:", "CallStack (from HasCallStack)"),
		[]Rule{
			{Literal: "fatal error: ", Place: First, Reason: Crash, Score: 93, After: 4},
			{Literal: "PHP Warning: ", Reason: Warning, Score: 56},
			{Literal: " line ", Reason: Crash, Score: 72, Before: 1, After: 3, only: endsWithLine},
			{Literal: "[cause]: ", Place: First, Reason: Crash, Score: 86, After: 2},
		},
	)
}

// machines are V8, the Java virtual machine and .NET.
func machines() []Rule {
	return slices.Concat(
		say(Crash, 93, 3, "JavaScript heap out of memory", "FATAL ERROR: ", "A fatal error has been detected by", "UnhandledPromiseRejection"),
		say(Crash, 90, 1, "# Problematic frame", "EXCEPTION_ACCESS_VIOLATION", "#  Internal Error (", "# Native memory allocation"),
		say(Crash, 84, 2, "Current thread (0x", "siginfo: "),
		list(Crash, 80, 6, "Native frames: ", "Java frames: "),
		say(Crash, 93, 8, "Unhandled exception. ", "Unhandled Exception: ", "Unhandled exception: "),
	)
}

// systems are Android (logcat and tombstones), macOS and Windows.
func systems() []Rule {
	return slices.Concat(
		say(Crash, 93, 8, "FATAL EXCEPTION", "Fatal signal ", "Abort message: ", "ANR in "),
		say(Crash, 88, 2, "fault addr "),
		say(Crash, 93, 1, "Exception Type: ", "Termination Reason: ", "Application Specific Information:", "Faulting application name: "),
		say(Crash, 84, 0, "Exception Codes: ", "Exception Subtype: ", "Termination Signal: ", "Triggered by Thread: ", "Crashed Thread: ", "Faulting module name: ",
			"Exception code: 0x", "Exception Note: "),
		[]Rule{
			{Literal: " Crashed:", Reason: Crash, Score: 90, After: 6, List: true},
			{Literal: "*** *** ***", Reason: Crash, Score: 72, After: 8},
			{Literal: ">>> ", Reason: Crash, Score: 82, only: namesProcess},
			{Literal: "E AndroidRuntime: ", Reason: Crash, Score: 76},
			{Literal: "E/AndroidRuntime", Reason: Crash, Score: 76},
			{Literal: ", PID: ", Reason: Crash, Score: 74},
		},
	)
}
