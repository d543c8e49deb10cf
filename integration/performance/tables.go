package main

import (
	"fmt"
	"strings"
)

// block is a part of a document that this program writes.
type block struct{ name, text string }

// blocks returns the parts of all documents, in the order in which they have them.
func (r Results) blocks() []block {
	list := []block{{"run", r.Run.String() + "\n"}, {"bars", r.barTable()}}
	for _, p := range payloads {
		list = append(list, block{p.name, r.callTable(p)})
	}
	return append(list, block{"log", r.logTable()}, block{"disk", r.diskTable()}, block{"bulk", r.bulkTable()})
}

// documents returns the parts of each document: the page has what most readers ask, and calls.md every call.
func (r Results) documents() map[string][]block {
	parts := map[string][]block{}
	for _, b := range r.blocks() {
		path := documentPath
		for _, p := range payloads {
			if p.name == b.name {
				path = callsPath
			}
		}
		parts[path] = append(parts[path], b)
	}
	return parts
}

// text returns all parts, for a terminal.
func (r Results) text() string {
	var b strings.Builder
	for _, k := range r.blocks() {
		fmt.Fprintf(&b, "%s\n\n%s\n", k.name, k.text)
	}
	return b.String()
}

// table writes rows of cells as Markdown.
func table(heading []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(heading)
	rule := make([]string, len(heading))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// callTable has the configurations beside the floors, and the floors themselves.
func (r Results) callTable(p payload) string {
	heading := []string{"configuration", "callers", "p50, us", "p99, us", "calls/s", "CPU, us", "p50 / (a)", "p50 / (b)", "CPU / (a)"}
	if p.cut {
		heading = []string{"configuration", "callers", "p50, us", "p99, us", "calls/s", "CPU, us", "p50 / (a)", "p50 / (b)", "p50 / (c)", "CPU / (a)"}
	}
	var rows [][]string
	for _, name := range sideNames() {
		for _, n := range callers {
			c := r.calls(p.name, n)
			s := c.side(name)
			if s.Name == "" {
				continue
			}
			row := []string{name, fmt.Sprint(n), digits(s.P50.median()), digits(s.P99.median()), digits(s.Rate.median()), digits(s.CPU.median())}
			row = append(row, s.P50.over(c.side(floorEmpty).P50).String(), s.P50.over(c.side(floorAppend).P50).String())
			if p.cut {
				row = append(row, s.P50.over(c.side(floorFile).P50).String())
			}
			rows = append(rows, append(row, s.CPU.over(c.side(floorEmpty).CPU).String()))
		}
	}
	c := r.calls(p.name, callers[0])
	return fmt.Sprintf("An answer has %s bytes; the defaults append %s bytes for a call, and so do (b) and (c).\n\n", group(int64(c.Answer)), group(int64(c.Appended))) +
		table(heading, rows)
}

// sideNames are the sides of a table in its order.
func sideNames() (names []string) {
	for _, c := range configs {
		names = append(names, c.name)
	}
	return append(names, sessionSide, floorEmpty, floorAppend, floorFile)
}

// logTable has the audit log alone.
func (r Results) logTable() string {
	l := r.Log
	return table([]string{"records", "a second", "beside the second row"}, [][]string{
		{fmt.Sprintf("%d callers, who share syncs", logCallers), digits(l.Shared.median()), l.Shared.over(l.InTurn).String()},
		{fmt.Sprintf("a write of %s bytes and a sync each, in turn", group(int64(l.Bytes))), digits(l.InTurn.median()), ""},
	})
}

// diskTable has the bytes on disk.
func (r Results) diskTable() string {
	journal, indexes := r.Disk.perCall()
	records := float64(r.Disk.Records) / float64(r.Disk.Sealed)
	return table([]string{"bytes a call", "", "of"}, [][]string{
		{"sealed records", digits(records), group(int64(r.Disk.Sealed)) + " records"},
		{"sealed changes of the catalog", digits(journal - records), "as many calls"},
		{"indexes, which can be made again", digits(indexes), group(int64(r.Disk.Calls)) + " calls"},
		{"together", digits(journal + indexes), ""},
	})
}

// bulk returns the results of a large output; none if it was not measured.
func (r Results) bulk(kind string) Bulk {
	for _, b := range r.Bulk {
		if b.Kind == kind {
			return b
		}
	}
	return Bulk{}
}

// side returns a side of Bulk by its name; an empty one if it was not measured.
func (b Bulk) side(name string) Timed {
	for _, s := range b.Sides {
		if s.Name == name {
			return s
		}
	}
	return Timed{}
}

// bulkFloors names the side with which another one is compared.
var bulkFloors = map[string]string{stream: rawCopy, streamDurable: rawSynced, byPath: cat, byPathDurable: catSynced}

// bulkTable has the large outputs.
func (r Results) bulkTable() string {
	var b strings.Builder
	for _, k := range r.Bulk {
		b.WriteString(k.table())
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// table has the sides of one output.
func (b Bulk) table() string {
	var rows [][]string
	for _, s := range b.Sides {
		row := []string{s.Name, digits(s.Seconds.median()), digits(s.CPU.median()), ""}
		if floor, ok := bulkFloors[s.Name]; ok {
			row[3] = s.Seconds.over(b.side(floor).Seconds).String()
		}
		rows = append(rows, row)
	}
	return table([]string{fmt.Sprintf("%s MiB: %s", group(b.Bytes>>20), b.Kind), "seconds", "CPU of the server, s", "beside the row above"}, rows)
}
