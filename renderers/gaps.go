package renderers

import "strings"

// Gap is the range of lines that a mark stands for, as far as a receipt states it: 0 is
// an unknown end. A mark inside a line has that line alone.
type Gap struct{ First, Last int64 }

// Gaps returns the gap of each mark of a section, in order. A line of tool text is a
// line of the payload, so the lines between two marks are counted. Behind a mark of
// JSON values numbers are unknown.
func (s *Section) Gaps() []Gap {
	var gaps []Gap
	next := int64(1) // number of the next line; 0: unknown
	for i := range s.Body {
		p := &s.Body[i]
		if p.Mark == nil {
			if p.First > 0 {
				next = p.First
			}
			next = after(next, int64(strings.Count(p.Text, "\n"))+1)
			continue
		}
		g := s.gap(i, next)
		next = after(g.Last, 1)
		if p.Mark.Bytes > 0 && i+1 < len(s.Body) && s.Body[i+1].Mark == nil {
			next = g.Last // the rest of the line
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// after returns the number of the line some lines after another; 0 if that is unknown.
func after(line, lines int64) int64 {
	if line == 0 {
		return 0
	}
	return line + lines
}

// gap returns the gap of the mark that is piece i. next is the number of the line after
// the text before it.
func (s *Section) gap(i int, next int64) Gap {
	m := s.Body[i].Mark
	switch {
	case m.Bytes > 0 && m.Next > 0:
		return Gap{m.Next, m.Next}
	case m.Bytes > 0:
		line := max(0, next-1)
		return Gap{line, line}
	case m.Values > 0:
		return Gap{First: next}
	case m.Repeats > 0 && next > 0:
		return Gap{next, next + m.Repeats - 1}
	case m.Next > 0:
		return Gap{next, m.Next - 1}
	case i+1 < len(s.Body):
		return Gap{next, max(0, s.Body[i+1].First-1)}
	case s.Extent != nil && !isNumbered(s.Label):
		return Gap{next, s.Extent.Lines}
	}
	return Gap{First: next}
}
