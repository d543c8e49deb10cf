package frames

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lines are lines of stacks as programs wrote them: "own ", "lib " or "not " and the line.
const lines = `
own 	at com.shop.Main.price(Main.java:5)
own 	at com.shop.Main$$Lambda$10/0x00007fc838002228.run(Unknown Source)
lib 	at java.base/java.util.Spliterators$ArraySpliterator.forEachRemaining(Spliterators.java:992)
lib 	at java.lang.Thread.sleep(java.base@17.0.15/Native Method)
lib 	at app//org.junit.Assert.fail(Assert.java:89)
lib 	at worker.org.gradle.process.internal.worker.GradleWorkerMain.run(GradleWorkerMain.java:69)
lib 	... 4 more
own     at exports.total (/srv/shop/src/cart.js:2:117)
own     at /srv/shop/src/app.js:3:19
own     at async checkout (/srv/shop/src/app.js:3:19)
lib     at next (/srv/shop/node_modules/express/lib/router.js:1:61)
lib     at Array.map (<anonymous>)
lib     at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
lib     at Module.require (module.js:353:17)
lib     at emitOne (events.js:96:13)
lib     at async Promise.all (index 0)
own    at Shop.Cart.Total(Int32 id) in /src/Shop/Cart.cs:line 7
lib    at System.Linq.Enumerable.First[TSource](IEnumerable1 source)
lib    at Xunit.Sdk.TestInvoker.Run()
own   File "/srv/shop/app/orders.py", line 3, in load
lib   File "/srv/venv/lib/python3.12/site-packages/ormlib/session.py", line 13, in layered
lib   File "<frozen runpy>", line 198, in _run_module_as_main
own example.com/shop/internal/queue.(*Pool).worker(0xa2fce3b4198, 0x0?)
own main.(*Server).handle(...)
own created by example.com/shop/internal/queue.New in goroutine 6
own 	example.com/shop/internal/queue/queue.go:20 +0x34
own 	/srv/shop/main.go:84 +0x32
lib internal/sync.(*Mutex).Lock(...)
lib net/http.(*conn).serve(0xc0000b2000, {0x5210c0, 0x5a2d50})
lib panic({0x5210c0?, 0x5a2d50?})
lib created by net/http.(*Server).Serve in goroutine 18
lib created by testing.(*T).Run in goroutine 1
lib 	net/http/server.go:3311 +0x8e
lib 	github.com/lib/pq@v1.10.0/conn.go:12 +0x1d
lib 	/root/go/pkg/mod/github.com/lib/pq@v1.10.0/conn.go:12 +0x1d
lib 	runtime/sys_linux_amd64.s:569 +0x21 fp=0x7ffe67b85c08 sp=0x7ffe67b85c00 pc=0x48e8a1
own    5: shop::price
lib    1: core::panicking::panic_fmt
lib    8: <core::slice::iter::Iter<T> as core::iter::traits::iterator::Iterator>::fold
lib    3:     0x5647a06d5aba - <<std[e28293b1aa0f68bd]::sys::backtrace::BacktraceLock>::print
own   21:     0x5647a06d5aba - shop[e28293b1aa0f68bd]::price
own     #0 0x56330ae384c1 in bill(std::vector<Order*, std::allocator<Order*> >&) /srv/shop/a.cc:13
own     #1 0x56330ae389a2 in main /srv/shop/a.cc:21
lib     #2 0x7fb8b4c45249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
lib     #4 0x56330ae38340 in _start (/srv/shop/asan+0x2340)
lib     #0 0x7fb8b52ba3c8 in operator delete(void*, unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:164
lib     #1 void std::__invoke_impl<void, void (*)()>(std::__invoke_other, void (*&&)()) /usr/include/c++/12/bits/invoke.h:61 (tsan+0x6432)
lib     #6 <null> <null> (libstdc++.so.6+0xd44a2)
lib     #0 pthread_create ../../../../src/libsanitizer/tsan/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
own #6  0x000055555555a3f2 in cmpsort (v=std::vector of length 3, capacity 4 = {...}) at a.cc:14
lib #5  0x000055555555a6fa in std::sort<__gnu_cxx::__normal_iterator<Order**, std::vector<Order*> > > (__first=0x1) at /usr/include/c++/12/bits/stl_algo.h:4853
lib #1  __pthread_kill_implementation (threadid=1) at ./nptl/pthread_kill.c:44
lib #3  raise (sig=6) at ../sysdeps/posix/raise.c:26
own #0 /srv/shop/src/Cart.php(12): Shop\Cart->total()
lib #1 /srv/shop/vendor/symfony/http-kernel/Kernel.php(12): Shop\Cart->total()
lib #2 {main}
own ./plain(_Z7cmpsortRSt6vectorIP5OrderSaIS1_EE+0x33)[0x55da40f983f2]
lib ./plain(_start+0x21)[0x55da40f98251]
lib /lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85)[0x7f76f8645305]
own  shop_write+0x1a/0x40 [shop]
lib  do_syscall_64+0x5b/0x1b0
lib  ? entry_SYSCALL_64_after_hwframe+0x61/0xc6
own 	from cart.rb:7:in 'total'
lib 	from /usr/lib/ruby/gems/3.2.0/gems/rack-3.0/lib/rack.rb:7:in 'call'
own     (shop 0.1.0) lib/shop/cart.ex:7: Shop.Cart.total/1
lib     (stdlib 5.2) gen_server.erl:1123: :gen_server.try_handle_call/4
not building /usr/lib/python3/dist-packages:
not time=2026-11-29T10:17:15 msg="http: panic serving\ngoroutine 9 [running]:\nmain.f()\n\t/usr/local/go/src/net/http/server.go:2067 +0x690"
not panic: close of closed channel [recovered]
not goroutine 18 [running]:
not std::sort is not declared
not runtime.go does not compile
not /usr/include/stdio.h:12:3: error: unknown type
not     1: apples
not (kernel 5.4) is old
`

// Each line has its owner.
func TestOwners(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(lines[1:]) {
		want, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		is := Is([]byte(text)) || Read([]byte(text)).Form == Place
		library := Library([]byte(strings.TrimLeft(text, " \t")))
		if foreign := Foreign([]byte(text)); foreign != library && is {
			t.Errorf("%q: foreign %t, of a library %t", text, foreign, library)
		}
		got := "own"
		switch {
		case library:
			got = "lib"
		case !is || strings.HasSuffix(text, "apples"):
			got = "not"
		}
		if got != want {
			t.Errorf("%q is %s; want %s (%+v)", text, got, want, Read([]byte(text)))
		}
	}
}

// A path is foreign if it has one of the places of the table, wherever it is.
func TestForeignIsToHaveAPlace(t *testing.T) {
	t.Parallel()
	pieces := []string{"/", "x", "run", "time", "std", "lib/", "é"}
	all := []string{}
	for _, l := range languages {
		for _, part := range l.places {
			if len(part) < 4 {
				t.Fatalf("%q is shorter than the search", part)
			}
			all = append(all, part)
			pieces = append(pieces, part, part[:len(part)-1], part[1:])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
		want := false
		for _, part := range all {
			want = want || strings.Contains(text, part)
		}
		if got := hasForeignPlace([]byte(text)); got != want {
			t.Fatalf("%q: %v", text, got)
		}
	})
}

// No line breaks the reader.
func FuzzRead(f *testing.F) {
	for line := range strings.Lines(lines) {
		f.Add([]byte(strings.TrimSuffix(line, "\n")))
	}
	f.Fuzz(func(_ *testing.T, line []byte) {
		Read(line)
		Foreign(line)
		if len(line) > 0 {
			Library(line)
		}
	})
}
