package conformance_test

import (
	"fmt"
	"strings"
)

const (
	head = `# RFC conformance

How far the sidecar does what the RFC "Tool Result Envelope" and "Native Tool Result Format" ask for. Each
[requirement](../../integration/conformance/requirements.md) has a check that calls the built binary over its socket.
` + "`go test ./integration/conformance`" + ` compares this page with what they found; with ` + "`-update`" + ` it writes both.

`
	listHead = `# Requirements

Every item is a requirement that a check of this folder found to hold, or to hold in part. [RFC
conformance](../../docs/reference/rfc-conformance.md) has the sums, and what was decided otherwise.
`
)

// writePage makes the page: the sums, and every requirement that does not hold as a whole.
func writePage(documents []document, outcomes map[string][]outcome) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("| document | requirements | hold | in part | do not hold |\n| --- | --- | --- | --- | --- |\n")
	total := [4]int{}
	for _, d := range documents {
		n := count(outcomes[d.title])
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", d.title, n[0], n[1], n[2], n[3])
		for i := range total {
			total[i] += n[i]
		}
	}
	fmt.Fprintf(&b, "| together | %d | %d | %d | %d |\n", total[0], total[1], total[2], total[3])
	for _, d := range documents {
		var rows strings.Builder
		for i, r := range d.rows {
			if state := outcomes[d.title][i].state; state != "holds" {
				fmt.Fprintf(&rows, "- %s: %s **%s%s**\n", r.section, r.text, strings.ToUpper(state[:1]), state[1:])
			}
		}
		for _, e := range d.not {
			fmt.Fprintf(&rows, "- %s: no requirement that can be run; %s\n", e.section, e.why)
		}
		if rows.Len() > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s", d.title, rows.String())
		}
	}
	return b.String()
}

// writeList makes the list of all requirements.
func writeList(documents []document, outcomes map[string][]outcome) string {
	var b strings.Builder
	b.WriteString(listHead)
	for _, d := range documents {
		fmt.Fprintf(&b, "\n## %s\n", d.title)
		writeSections(&b, d.rows, outcomes[d.title])
	}
	return b.String()
}

// writeSections writes a heading and the requirements of each section.
func writeSections(b *strings.Builder, rows []requirement, outcomes []outcome) {
	for i, r := range rows {
		if i == 0 || rows[i-1].section != r.section {
			fmt.Fprintf(b, "\n### %s\n\n", r.section)
		}
		b.WriteString("- " + r.text)
		if state, _, _ := strings.Cut(outcomes[i].state, ":"); state != "holds" {
			fmt.Fprintf(b, " **%s%s**", strings.ToUpper(state[:1]), state[1:])
		}
		b.WriteString("\n")
	}
}

// count counts rows: all, those that hold, in part, and not.
func count(outcomes []outcome) (n [4]int) {
	for _, o := range outcomes {
		n[0]++
		switch {
		case o.state == "holds":
			n[1]++
		case strings.HasPrefix(o.state, "in part"):
			n[2]++
		default:
			n[3]++
		}
	}
	return n
}
