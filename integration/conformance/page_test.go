package conformance_test

import (
	"fmt"
	"strings"
)

const head = `# RFC conformance

Every row is a requirement of the RFC "Tool Result Envelope" or of "Native Tool Result Format", and a check that calls the built
sidecar over its socket. ` + "`go test ./integration/conformance`" + ` runs the checks and compares this page with what they come to; with
` + "`-update`" + ` it writes the page. The last column is recorded while a check runs: each call that it made, where a name in code is
the command that a user would type.

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
		fmt.Fprintf(&b, "\n## %s\n\n| section | requirement | state | called |\n| --- | --- | --- | --- |\n", d.title)
		for i, r := range d.rows {
			o := outcomes[d.title][i]
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.section, r.text, o.state, o.called)
		}
		if len(d.not) == 0 {
			continue
		}
		b.WriteString("\nNot requirements that can be run:\n\n| section | why |\n| --- | --- |\n")
		for _, e := range d.not {
			fmt.Fprintf(&b, "| %s | %s |\n", e.section, e.why)
		}
	}
	return b.String()
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
