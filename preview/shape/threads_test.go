package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// dumpOf is a dump of goroutines as Go prints it: one that failed, workers that wait, and a rare one.
func dumpOf(workers int) string {
	var b strings.Builder
	b.WriteString("panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nexample.com/shop/store.(*Store).Set(...)\n\texample.com/shop/store/store.go:22\nmain.main()\n\texample.com/shop/main.go:44 +0x385\n")
	for i := range workers {
		fmt.Fprintf(&b, "\ngoroutine %d [chan receive, %d minutes]:\nexample.com/shop/queue.(*Pool).worker(0x%x, 0x%x?)\n\texample.com/shop/queue/queue.go:20 +0x34\n", 7+i, i%9, 0xc000+i, i)
		b.WriteString("created by example.com/shop/queue.New in goroutine 1\n\texample.com/shop/queue/queue.go:14 +0x71\n")
	}
	b.WriteString("\ngoroutine 448 [sync.Mutex.Lock]:\ninternal/sync.(*Mutex).Lock(...)\n\tinternal/sync/mutex.go:70\nexample.com/shop/queue.(*Pool).Drain(0x11e544b96850?, 0x1)\n\texample.com/shop/queue/queue.go:30 +0x4a\n")
	b.WriteString("net/http.HandlerFunc.ServeHTTP(0x4b2b51?, {0x7f6f30?, 0xc0?}, 0x8?)\n\tnet/http/server.go:2286 +0x29\n")
	return b.String()
}

// rankedText ranks a text, as a trace or as a log, and returns its lines and the best of them in order.
func rankedText(text string, shape Shape) (list []Ranked, best []string, runs []Run) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		list = append(list, Ranked{Line: &textscan.Line{Text: []byte(line), Split: len(line), Newline: true}, Number: int64(i + 1)})
	}
	runs = Rank(list, Options{Shape: shape, Lines: int64(len(list))})
	for _, i := range Order(list) {
		if list[i].Score > 0 {
			best = append(best, string(list[i].Line.Text))
		}
	}
	return list, best, runs
}

// The goroutines that are equal but for addresses fold, the one that failed comes first, and each function stays with its place.
func TestThreadsOfADump(t *testing.T) {
	t.Parallel()
	for _, shape := range []Shape{StackTrace, None} {
		for _, lead := range []string{"", "listening on :8080\nSIGQUIT: quit\n\n"} {
			list, best, runs := rankedText(lead+dumpOf(400), shape)
			first := best[:min(len(best), 20)]
			for _, want := range []string{
				"panic: assignment to entry in nil map", "goroutine 1 [running]:", "\texample.com/shop/store/store.go:22", "main.main()",
				"goroutine 448 [sync.Mutex.Lock]:", "example.com/shop/queue.(*Pool).Drain(0x11e544b96850?, 0x1)", "\texample.com/shop/queue/queue.go:30 +0x4a",
				"goroutine 7 [chan receive, 0 minutes]:", "example.com/shop/queue.(*Pool).worker(0xc000, 0x0?)", "\texample.com/shop/queue/queue.go:20 +0x34",
			} {
				if !slices.Contains(first, want) {
					t.Errorf("shape %d: %q is not among the first:\n%s", shape, want, strings.Join(first, "\n"))
				}
			}
			folded := int64(0)
			for _, run := range runs {
				folded += run.Last - run.First + 1
			}
			if folded < 399*6 {
				t.Errorf("shape %d: %d of %d lines fold", shape, folded, len(list))
			}
		}
	}
}

// Whatever is around a dump of threads, no line that is in none of them folds with them.
func TestThreadsEndWhereTheyEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		others := map[string]bool{}
		for i := range rapid.IntRange(3, 12).Draw(t, "threads") {
			b.WriteString("goroutine 7 [running]:\nmain.f()\n\t/srv/main.go:7 +0x1d\n")
			for k := range rapid.IntRange(0, 2).Draw(t, "others") {
				line := fmt.Sprintf("2026/11/29 request number-%c%c took long", 'a'+i, 'a'+k)
				others[line] = true
				b.WriteString(line + "\n")
			}
		}
		list, _, _ := rankedText(b.String(), StackTrace)
		for i := range list {
			if others[string(list[i].Line.Text)] && list[i].Score < 0 {
				t.Fatalf("%q folds", list[i].Line.Text)
			}
		}
	})
}

// A line is the header of a thread if a runtime writes it so.
func TestHeadersOfThreads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"goroutine 34 [chan receive, 5 minutes]:":                                                   true,
		"goroutine 1 gp=0x2e44d2c1e0 m=nil [sync.WaitGroup.Wait]:":                                  true,
		`Thread 1 (Thread 0x7ffff7eb2740 (LWP 3597) "plain"):`:                                      true,
		"Thread 0x00007f1c (most recent call first):":                                               true,
		"Current thread 0x00007f1c (most recent call first):":                                       true,
		`"main" #1 prio=5 os_prio=0 tid=0x00007fc8 nid=0xc1c runnable  [0x00007fc8bf9fe000]`:        true,
		`"GC Thread#0" os_prio=0 cpu=1.04ms elapsed=3.0s tid=0x00007fc8b8052fd0 nid=0xc1d runnable`: true,
		"goroutine 34 leaked":          false,
		"Thread pool is full:":         false,
		`"name": "shop #1"`:            false,
		"goroutines (12) are waiting:": false,
	} {
		if got := isThread([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
