package shape

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Summaries of a diff: a file and how many lines of it are different, as
// git diff --stat, git pull, diffstat and git diff --numstat print them. The files with
// most changes are asked for, and the total.

// changedLines returns how many lines of a file are different, by a line of a summary:
// " path | 12 ++--" and " path | Bin 0 -> 12 bytes" of --stat, "8<tab>4<tab>path" of
// --numstat. It reports false for other lines.
func changedLines(text []byte) (n int, ok bool) {
	if len(text) > 0 && text[0] == ' ' {
		_, count, found := bytes.Cut(text, []byte(" | "))
		count = bytes.TrimLeft(count, " ")
		n, digits := textscan.Number(count)
		plain := digits > 0 && len(plusMinus.Trim(count[digits:])) == 0
		return n, found && (plain || bytes.HasPrefix(count, []byte("Bin")))
	}
	fields := bytes.SplitN(text, []byte("\t"), 3)
	if len(fields) < 3 {
		return 0, false
	}
	for _, field := range fields[:2] {
		count, digits := textscan.Number(field)
		if digits < len(field) && string(field) != "-" { // a dash of a binary
			return 0, false
		}
		n += count
	}
	return n, len(fields[0]) > 0 && len(fields[1]) > 0
}

// rankChanges ranks the lines of the summary of a diff: what is no file, such as the
// total, and then the files, that with most changes first. It reports whether the list is
// one.
func rankChanges(list []Ranked) bool {
	order, changes := make([]int, 0, len(list)), make([]int, len(list))
	for i := range list {
		if n, ok := changedLines(textscan.WithoutEscapes(list[i].Line.Text)); ok {
			order, changes[i] = append(order, i), n
		}
	}
	if len(order) < leastMeasures || len(order)*5 < len(list)*4 {
		return false
	}
	for i := range list {
		switch {
		case len(bytes.TrimSpace(list[i].Line.Text)) == 0:
			list[i].set(1, 0, KeepContext)
		case i < mostOthers, i >= len(list)-mostOthers: // those of files are ranked below
			list[i].set(scoreNamed, 0, KeepSummary)
		default:
			list[i].set(scoreBeside, 0, KeepContext)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(changes[b], changes[a]) })
	for turn, i := range order {
		list[i].set(scoreContent, turn, KeepContext)
	}
	InOrder(list)
	return true
}
