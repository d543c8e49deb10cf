package frames

// language lists what is not the user's own code in the stacks of one language.
type language struct {
	name      string
	forms     []Form
	functions []string // beginnings of functions, with their packages
	names     []string // whole functions
	places    []string // parts of paths, at least four bytes each
}

// languages is the table of code that is not the user's own. Each entry names its source.
var languages = []language{
	{
		// The packages of the JDK's modules (docs.oracle.com/en/java/javase/21/docs/api), of the
		// languages on it, and of the test runners, build tools and containers that call user code.
		name: "JVM", forms: []Form{At},
		functions: []string{
			"java.", "javax.", "jdk.", "sun.", "com.sun.", "jakarta.", "kotlin.", "kotlinx.", "scala.", "groovy.lang.", "clojure.lang.", "clojure.core",
			"org.codehaus.groovy.", "junit.", "org.junit.", "org.testng.", "org.opentest4j.", "org.hamcrest.", "org.assertj.", "org.mockito.",
			"worker.org.gradle.", "org.gradle.", "org.apache.maven.", "org.apache.catalina.", "org.apache.tomcat.", "org.springframework.",
			"android.", "androidx.", "com.android.internal.", "dalvik.", "libcore.",
		},
		places: []string{"java.base/", "java.desktop/"},
	},
	{
		// Namespaces of the .NET class libraries (learn.microsoft.com/dotnet/api) and of its test runners.
		name: ".NET", forms: []Form{At},
		functions: []string{"System.", "Microsoft.", "Internal.Runtime", "Interop.", "Xunit.", "NUnit.", "MSTest."},
		places:    []string{"/_/src/", "/.nuget/packages/"},
	},
	{
		// node:internal/* and the frames of V8 (nodejs.org/api/errors.html, v8.dev/docs/stack-trace-api);
		// packages are in node_modules (nodejs.org/api/modules.html). Before version 11 the files of Node had no
		// directory (nodejs/node: lib of v10). Deno and Bun name theirs by scheme.
		name: "JavaScript", forms: []Form{At},
		functions: []string{"process.processTicksAndRejections", "Promise (<anonymous>)", "Promise.", "Module.", "Function.Module.", "Object.Module.", "Function.executeUserEntryPoint", "jest"},
		places: []string{"node_modules/", "node:internal", "(node:", "at node:", "(internal/", "internal/modules/", "(native)", "(<anonymous>)",
			"(module.js:", "(node.js:", "(bootstrap_node.js:", "(events.js:", "(net.js:", "(fs.js:", "(timers.js:", "(child_process.js:", "(_stream_", "(_http_",
			"ext:deno", "ext:core", "(bun:"},
	},
	{
		// Third-party packages and the standard library (docs.python.org/3/library/site.html and
		// sysconfig.html); frozen modules have no file (importlib).
		name: "Python", forms: []Form{File},
		places: []string{"site-packages/", "dist-packages/", "lib/python", "<frozen ", "<__array_function__", "site-packages\\", "\\Python3", "/Lib/unittest/"},
	},
	{
		// Directories of GOROOT/src (go.dev/src); the module cache (go.dev/ref/mod#module-cache). An import
		// path whose first element has no dot is of the standard library or of the main module.
		name: "Go", forms: []Form{Call},
		functions: []string{"panic({", "panic(", "created by testing.", "created by net/http.", "created by runtime.", "created by time.", "created by os/signal."},
		places:    []string{"/usr/local/go/src/", "/go/pkg/mod/", "/pkg/mod/", "hostedtoolcache/go/", "/src/runtime/", "/src/testing/testing.go", "/src/reflect/", "/src/net/http/"},
	},
	{
		// rust-lang/rust: library/{core,alloc,std,test} and std/src/panicking.rs; the sources of a release
		// are below /rustc/HASH/, and crates in the registry of cargo (doc.rust-lang.org/cargo/guide/cargo-home.html).
		name: "Rust", forms: []Form{Counted, Place},
		functions: []string{
			"core::", "std::", "alloc::", "test::", "core[", "std[", "alloc[", "__rustc", "__rust_", "rust_begin_unwind", "rust_panic", "rust_eh_personality",
			"tokio::runtime::", "futures_util::", "__libc_start", "__pthread", "__clone",
		},
		names:  []string{"_start", "main", "clone", "start_thread"},
		places: []string{"/rustc/", "/.cargo/registry/"},
	},
	{
		// The C library (sourceware.org/glibc: csu, sysdeps, nptl, stdlib), libstdc++ (gcc.gnu.org), compiler-rt
		// of LLVM and libsanitizer of GCC, which is a copy of it.
		name: "C and C++", forms: []Form{Numbered, Module},
		functions: []string{
			"std::", "__gnu_cxx::", "__cxxabiv1::", "__interceptor_", "__asan", "__sanitizer", "__tsan", "__msan", "__ubsan", "__lsan", "__hwasan", "__libc_", "__GI_",
			"__pthread_", "__assert", "__cxa_", "_Unwind_", "__restore_rt", "__kernel_", "__fortify_fail", "__stack_chk_fail", "operator new", "operator delete",
			"testing::internal::", "testing::Test", "testing::UnitTest", "Catch::", "boost::unit_test", "_ZSt", "_ZNSt", "_ZNKSt", "_ZN9__gnu_cxx", "QtPrivate::",
		},
		names: []string{
			"_start", "raise", "gsignal", "abort", "malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset", "strlen", "strcpy", "start_thread", "clone", "clone3",
			"pthread_create", "pthread_kill", "<null>", "RUN_ALL_TESTS",
		},
		places: []string{
			"/usr/include/", "/usr/lib", "/lib/x86_64-linux-gnu/", "/lib/aarch64-linux-gnu/", "/lib64/", "libsanitizer/", "compiler-rt/", "sysdeps/", "/csu/", "/nptl/",
			"/usr/local/lib/", "libstdc++.so", "libc.so.6", "googletest/", "gtest.cc:", "/libgcc/", "/system/lib64/", "/apex/com.android.",
		},
	},
	{
		// Entry code and the paths of a report itself (kernel.org: arch/x86/entry, kernel/panic.c, lib/dump_stack.c,
		// kernel/kthread.c, kernel/workqueue.c).
		name: "Linux", forms: []Form{Kernel},
		functions: []string{
			"entry_SYSCALL", "do_syscall_", "x64_sys_call", "__x64_sys_", "ret_from_fork", "dump_stack", "show_stack", "asm_exc_", "exc_", "__warn", "report_bug", "handle_bug",
			"__die", "die_addr", "page_fault_oops", "print_report", "kasan_", "__asan_", "check_memory_region", "syscall_exit_to_user_mode", "el0_", "el0t_", "invoke_syscall",
		},
		names: []string{"kthread", "worker_thread", "process_one_work", "panic", "oops_end", "page_fault", "error_entry", "secondary_startup_64"},
	},
	{
		// RubyGems and the standard library (guides.rubygems.org, docs.ruby-lang.org: RbConfig).
		name: "Ruby", forms: []Form{From},
		places: []string{"/gems/", "/lib/ruby/", "<internal:"},
	},
	{
		// Composer's packages (getcomposer.org/doc), and functions of PHP itself (php.net/debug_backtrace).
		name: "PHP", forms: []Form{Numbered},
		functions: []string{"{main}"},
		places:    []string{"/vendor/", "[internal function]"},
	},
	{
		// Applications of Erlang/OTP and of Elixir (hexdocs.pm: Exception.format_stacktrace_entry).
		name: "Elixir", forms: []Form{App},
		functions: []string{"elixir ", "stdlib ", "kernel ", "erts ", "mix ", "ex_unit ", "phoenix ", "plug ", "cowboy ", "bandit ", "ecto ", "ecto_sql ", "db_connection "},
	},
	{
		// Packages of the SDK (api.dart.dev) and of its test runner.
		name: "Dart", forms: []Form{Numbered},
		places: []string{"(dart:", "package:flutter/", "package:flutter_test/", "package:test_api/", "package:stack_trace/"},
	},
}

// goPackages are the directories of GOROOT/src.
var goPackages = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{
		"archive", "arena", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt",
		"go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices",
		"sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor", "weak",
	} {
		set[name] = true
	}
	return set
}()
