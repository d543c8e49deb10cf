package shape

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// reports are reports of costs, and beginnings of the lines that come first of all that are no totals and no
// names of columns.
var reports = []struct {
	name, text string
	first      []string
}{
	{"pprof", `File: cat.test
Duration: 6.17s, Total samples = 4.14s (67.05%)
Showing nodes accounting for 2.52s, 60.87% of 4.14s total
      flat  flat%   sum%        cum   cum%
         0     0%     0%      3.68s 88.89%  testing.(*B).runN
     0.03s  0.72%  0.72%      1.43s 34.54%  example.com/catalog/search.(*Index).Find
     0.07s  1.69%  2.42%      0.73s 17.63%  runtime.mallocgc
         0     0%  2.66%      0.70s 16.91%  encoding/json.Marshal
     0.33s  7.97% 16.91%      0.33s  7.97%  runtime.asyncPreempt
     0.18s  4.35% 21.26%      0.31s  7.49%  example.com/catalog/search.insert (inline)
`, []string{"testing.(*B).runN", "search.(*Index).Find", "runtime.asyncPreempt", "search.insert"}},
	{"cProfile", `         720121 function calls (720117 primitive calls) in 3.980 seconds

   Ordered by: cumulative time

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.000    0.000    3.980    3.980 {built-in method builtins.exec}
        1    0.000    0.000    2.108    2.108 w.py:2(load)
        1    1.193    1.193    2.100    2.100 w.py:2(<listcomp>)
   300001    0.002    0.000    0.002    0.000 w.py:4(<genexpr>)
  20016/4    0.019    0.000    0.019    0.000 {built-in method builtins.len}
`, []string{"builtins.exec", "w.py:2(load)", "w.py:2(<listcomp>)"}},
	{"gprof", `Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total           
 time   seconds   seconds    calls  ms/call  ms/call  name    
 33.34      0.02     0.02     7208     0.00     0.00  open
 16.67      0.03     0.01      244     0.04     0.12  offtime
 16.66      0.04     0.01        8     1.25     1.25  memccpy
  0.00      0.05     0.00   923600     0.00     0.00  strlen
`, []string{"open"}},
	{"perf", `# Samples: 944  of event 'cpu-clock:pppH'
# Event count (approx.): 236000000
#
# Children      Self  Command  Shared Object         Symbol
# ........  ........  .......  ....................  ..............
#
    15.89%     0.00%  pp       pp                    [.] main
            |
            ---main
               |--7.10%--__random
               |
                --0.53%--__random_r

    11.44%    11.44%  pp       libc.so.6             [.] __vfprintf_internal
            |
            |--10.28%--__vfprintf_internal

     0.10%     0.00%  pp       pp                    [.] start
`, []string{"[.] main", "[.] __vfprintf_internal", "---main", "__random", "__random_r"}},
	{"importtime", `import time: self [us] | cumulative | imported package
import time:       149 |        149 |   _io
import time:     26360 |      27457 | encodings
import time:       522 |        588 |   codecs
import time:       271 |      90244 | site
`, []string{"encodings", "site"}},
	{"tracemalloc", `/srv/app/load.py:3: size=169 KiB, count=1, average=169 KiB
/srv/app/rows.py:8: size=11.4 MiB, count=199654, average=60 B
/srv/app/load.py:9: size=56 B, count=1, average=56 B
`, []string{"rows.py:8"}},
	{"benchstat", `                       │   old.txt    │               new.txt               │
                       │    sec/op    │    sec/op      vs base              │
XML-2                    3.171µ ± 21%    5.070µ ± 502%        ~ (p=0.065 n=6)
Index/products=100-2     65.20µ ±  7%   326.72µ ±  56% +401.10% (p=0.002 n=6)
Index/products=5000-2   31.070m ±  5%    4.027m ±  48%  -87.04% (p=0.002 n=6)
Marshal/rows=5-2         7.835µ ± 35%   13.001µ ±  15%  +65.94% (p=0.002 n=6)
geomean                  108.1µ          146.9µ         +35.90%
`, []string{"products=5000-2", "products=100-2", "rows=5-2"}},
	{"benchmarks", `goos: linux
BenchmarkFind/a-2   	     100	    251118 ns/op	  167600 B/op	      61 allocs/op
BenchmarkFind/a-2   	      14	   2049137 ns/op	  167600 B/op	      61 allocs/op
BenchmarkFind/a-2   	     100	   1383300 ns/op	  167600 B/op	      61 allocs/op
BenchmarkFind/b-2   	     100	   1000000 ns/op	  167600 B/op	      61 allocs/op
BenchmarkXML-2   	     100	    500000 ns/op	  167600 B/op	      61 allocs/op
PASS
`, []string{"1383300", "500000", "1000000"}},
	{"plan", `                                QUERY PLAN
--------------------------------------------------------------------------
 Limit  (cost=27.35..42.95 rows=20 width=83) (actual time=100.1..100.9 rows=20 loops=1)
   ->  Sort  (cost=22.11..22.89 rows=11 width=44) (actual time=98.0..99.1 rows=51052 loops=1)
         Sort Method: external merge  Disk: 1504kB
         ->  Hash Join  (cost=22.11..23.22 rows=11 width=51) (actual time=50.6..78.1 rows=626 loops=1)
               ->  Seq Scan on reviews v  (cost=0.00..7.00 rows=2 width=4) (actual time=1.6..3.5 rows=1 loops=20)
               ->  Index Scan on orders o  (cost=0.00..7.00 rows=2 width=4) (actual time=0.6..0.7 rows=1 loops=1)
 Execution Time: 101.2 ms
`, []string{"Limit", "Disk: 1504kB", "Seq Scan on reviews", "Sort  ("}},
	{"massif", `  n        time(i)         total(B)   useful-heap(B) extra-heap(B)    stacks(B)
--------------------------------------------------------------------------------
  0              0                0                0             0            0
  1        427,147            4,824            4,756            68            0
  2        835,125           10,488            9,850           638            0
93.92% (9,850B) (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
->47.57% (4,989B) 0x109201: image_load (pipe.c:8)
| ->35.02% (3,673B) 0x1093EB: main (pipe.c:29)
`, []string{"835,125", "93.92%", "image_load", "main (pipe.c:29)"}},
}

// rankedLines returns the lines of a text in the order of their ranks.
func rankedLines(text string) (lines []string) {
	var list []Ranked
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		list = append(list, Ranked{Line: &textscan.Line{Text: []byte(line), Split: len(line)}, Number: int64(len(list) + 1)})
	}
	Rank(list, Options{Shape: Table, Lines: int64(len(list))})
	for _, i := range Order(list) {
		lines = append(lines, string(list[i].Line.Text))
	}
	return lines
}

func TestReportsOfCostsShowWhatCostsMost(t *testing.T) {
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) {
			for _, hint := range []Shape{None, TestReport, BuildLog} {
				if got := DetectText(r.text, hint); got != Table {
					t.Fatalf("shape %v for the hint %v, want %v", got, hint, Table)
				}
			}
			lines := rankedLines(r.text)
			at := 0
			for _, want := range r.first {
				next := slices.IndexFunc(lines[at:], func(line string) bool { return strings.Contains(line, want) })
				if next < 0 {
					t.Fatalf("%q is not behind the ones before it:\n%s", want, strings.Join(lines, "\n"))
				}
				at += next + 1
			}
			if at > len(r.first)+8 {
				t.Errorf("other lines come first:\n%s", strings.Join(lines, "\n"))
			}
		})
	}
}

func TestOtherTablesAreNoReportsOfCosts(t *testing.T) {
	for _, text := range []string{
		"    PID USER      PR  NI    VIRT    RES  %CPU  %MEM     TIME+ COMMAND\n   1 root 20 0 16 11 0.0 0.1 0:01.17 systemd\n   2 root 20 0 0 0 0.0 0.0 0:00.00 sh\n   3 root 20 0 0 0 0.0 0.0 0:00.00 sh\n",
		"Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/sda1 10 2 8 20% /\n/dev/sda2 10 2 8 20% /a\n/dev/sda3 10 2 8 20% /b\n",
		"12K ./a\n14K ./b\n18K ./c\n99M .\n",
		"ok  \texample.com/a\t0.012s\tcoverage: 81.2% of statements\nok  \texample.com/b\t0.012s\tcoverage: 80.0% of statements\n",
		" id | name | total | time | calls\n----+------+-------+------+-------\n  1 | a | 2 | 3 | 4\n  2 | b | 2 | 3 | 4\n  3 | c | 2 | 3 | 4\n",
		"10:00:01 total time of the self test: 3 seconds\n10:00:02 12.5% done\n10:00:03 25.0% done\n10:00:04 50.0% done\n",
		"  7 lines\n 12 words\n 80 bytes\n",
	} {
		if IsCosts(slices.Collect(func(yield func([]byte) bool) {
			for line := range strings.SplitSeq(text, "\n") {
				if !yield([]byte(line)) {
					return
				}
			}
		})) {
			t.Errorf("a report of costs: %q", text)
		}
	}
}

func TestRanksOfCostsAreOfEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for range rapid.IntRange(0, 40).Draw(t, "lines") {
			report := rapid.SampledFrom(reports).Draw(t, "report")
			line := rapid.SampledFrom(strings.Split(report.text, "\n")).Draw(t, "line")
			lines = append(lines, line[rapid.IntRange(0, len(line)).Draw(t, "from"):])
		}
		list := make([]Ranked, len(lines))
		for i, line := range lines {
			list[i] = Ranked{Line: &textscan.Line{Text: []byte(line), Split: len(line)}, Number: int64(i + 1)}
		}
		again := slices.Clone(list)
		rankCosts(list)
		rankCosts(again)
		for i := range list {
			if list[i].Score <= 0 || list[i].Reason == 0 || list[i].turn < 0 || list[i].Score != again[i].Score || list[i].turn != again[i].turn {
				t.Fatalf("line %d: score %d, turn %d; again: %d, %d", i+1, list[i].Score, list[i].turn, again[i].Score, again[i].turn)
			}
		}
	})
}
