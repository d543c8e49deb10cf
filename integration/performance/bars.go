package main

import "fmt"

// bar is what a measure should be at most, and what we want.
type bar struct {
	name       string
	limit, aim float64
	more       bool                  // the measure should be at least that much
	measure    func(Results) Samples // none: it was not measured
}

// beside returns a measure of p50, of a side beside another one of the same calls.
func beside(p payload, callers int, name, floor string) func(Results) Samples {
	return func(r Results) Samples {
		c := r.calls(p.name, callers)
		return c.side(name).P50.over(c.side(floor).P50)
	}
}

// cpuBeside is beside of the processor's time.
func cpuBeside(p payload, callers int, name, floor string) func(Results) Samples {
	return func(r Results) Samples {
		c := r.calls(p.name, callers)
		return c.side(name).CPU.over(c.side(floor).CPU)
	}
}

// largeBeside is the time of a side of Bulk beside its floor.
func largeBeside(kind, name string) func(Results) Samples {
	return func(r Results) Samples {
		b := r.bulk(kind)
		return b.side(name).Seconds.over(b.side(bulkFloors[name]).Seconds)
	}
}

// bars are the goals of this program.
func bars() (list []bar) {
	small, medium := payloads[0], payloads[1]
	for _, n := range callers[:2] {
		who := plural(n, "caller")
		list = append(list,
			bar{name: "4 KB, defaults, beside (b), " + who, limit: 1.7, aim: 1.25, measure: beside(small, n, defaults, floorAppend)},
			bar{name: "4 KB, all off, beside (a), " + who, limit: 1.6, aim: 1.3, measure: beside(small, n, allOff, floorEmpty)},
			bar{name: "64 KB cut, defaults, beside (c), " + who, limit: 2.2, aim: 1.4, measure: beside(medium, n, defaults, floorFile)},
			bar{name: "4 KB, `ProjectSession`, all off, beside (a), " + who, limit: 1, aim: 0.85, measure: beside(small, n, sessionSide, floorEmpty)},
			bar{name: "4 KB, CPU of the server, defaults, beside (a), " + who, limit: 3.5, aim: 2, measure: cpuBeside(small, n, defaults, floorEmpty)},
		)
	}
	return append(list,
		bar{name: "1 GiB as a stream, " + quietLog + ", beside a raw copy", limit: 3, aim: 2.2, measure: largeBeside(quietLog, stream)},
		bar{name: "1 GiB by path, " + quietLog + ", beside `cat`", limit: 3, aim: 1.6, measure: largeBeside(quietLog, byPath)},
		bar{name: "a stream, " + mixedLogs + ", beside a raw copy", limit: 3, aim: 2.2, measure: largeBeside(mixedLogs, stream)},
		bar{name: "by path, " + mixedLogs + ", beside `cat`", limit: 3, aim: 1.6, measure: largeBeside(mixedLogs, byPath)},
		bar{name: "bytes on disk for a call of 4 KB, sealed", limit: 1500, aim: 800, measure: func(r Results) Samples {
			if r.Disk.Calls == 0 {
				return nil
			}
			journal, indexes := r.Disk.perCall()
			return Samples{journal + indexes}
		}},
		bar{name: "64 callers, records beside one sync each in turn", limit: 15, aim: 25, more: true,
			measure: func(r Results) Samples { return r.Log.Shared.over(r.Log.InTurn) }},
	)
}

// verdict compares a measure with the bar and the aim.
func (b bar) verdict(measured float64) string {
	holds := func(limit float64) bool { return measured <= limit && !b.more || measured >= limit && b.more }
	switch {
	case holds(b.aim):
		return "aim"
	case holds(b.limit):
		return "bar"
	}
	return "**missed**"
}

// barTable has every bar, whether it was measured or not.
func (r Results) barTable() string {
	var rows [][]string
	for _, b := range bars() {
		measured, verdict := "not measured", ""
		if s := b.measure(r); len(s) > 1 {
			measured, verdict = s.String(), b.verdict(s.median())
		} else if len(s) == 1 {
			measured, verdict = digits(s[0]), b.verdict(s[0])
		}
		rows = append(rows, []string{b.name, measured, digits(b.limit), digits(b.aim), verdict})
	}
	return table([]string{"median of ratios (least–most)", "measured", "bar", "aim", "reached"}, rows)
}

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
