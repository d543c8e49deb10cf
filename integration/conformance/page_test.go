package conformance_test

import (
	"fmt"
	"strings"
)

const head = `# RFC conformance

Every item is a requirement of the RFC "Tool Result Envelope" or of "Native Tool Result Format", and holds unless it says that a
part does not. Each has a check that calls the built sidecar over its socket. ` + "`go test ./integration/conformance`" + ` runs the
checks and compares this page with their outcomes; with ` + "`-update`" + ` it writes the page.

`

// writePage makes the page.
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
		fmt.Fprintf(&b, "\n## %s\n", d.title)
		writeSections(&b, d.rows, outcomes[d.title])
		if len(d.not) == 0 {
			continue
		}
		b.WriteString("\n### Not requirements that can be run\n\n")
		for _, e := range d.not {
			fmt.Fprintf(&b, "- %s: %s\n", e.section, e.why)
		}
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
		if state := outcomes[i].state; state != "holds" {
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
