package preview

import (
	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// leastFormBudget is the least budget by which a form is chosen, in tokens. Smaller ones have
// the form that this one has: an error says how many tokens are enough, and they are enough
// for that form.
const leastFormBudget = 192

// Readable is a payload in a readable form: *Rows, *Outline, *Report, or a text.
type Readable interface {
	Text() []byte
	Bytes() int64
	Select(b Budget, c tokens.Counter, f Hints) *Preview
}

// mostRecords is the size of a text that is read as records of which all is said, in bytes.
const mostRecords = 1 << 20

// ReadObjects reads objects of Kubernetes in YAML, objects as "kubectl describe" prints them, and
// literals of JavaScript and Python. It returns nil for other text.
func ReadObjects(text []byte, budget int, c tokens.Counter) Readable {
	objects := records.JSONOfYAML(text)
	if objects == nil {
		if described := records.ParseDescribed(text); described != nil {
			return newOutline(described, shape.Table)
		}
		if objects = records.JSONOfLiterals(text); objects == nil {
			return nil
		}
	}
	form, err := readJSON(objects, budget, c)
	if err != nil {
		return nil
	}
	return form
}

// Sample returns the table of the records that stand for a large list, of a payload received in
// parts: JSON, or values that are separated by commas or other signs. It returns nil for others. It may
// be called once.
func (e *Excerpt) Sample(budget int) Readable {
	if e.sampler == nil {
		return nil
	}
	if table := e.sampler.Table(max(budget, leastFormBudget)); table != nil {
		return &Rows{table}
	}
	return nil
}

// ReadJSON reads JSON: one value, or objects in sequence. The readable form of records is a table:
// of all that they say if that fits into a budget of tokens, and otherwise of the columns that a
// reader wants. A notebook has the text of its cells. Other values have an outline. A few lines of other text may be around it. It
// returns records.ErrNotJSON for anything else.
func ReadJSON(text []byte, budget int, c tokens.Counter) (Readable, error) {
	if form := ReadNotebook(text); form != nil {
		return form, nil
	}
	form, err := readJSON(text, budget, c)
	if err != nil {
		if objects := records.JSONOfLiterals(text); objects != nil {
			return readJSON(objects, budget, c)
		}
	}
	return form, err
}

// readJSON reads JSON that is no notebook.
func readJSON(text []byte, budget int, c tokens.Counter) (Readable, error) {
	budget = max(budget, leastFormBudget)
	if len(text) > mostRecords {
		if table := records.Sample(text, budget); table != nil {
			return &Rows{table}, nil
		}
	} else {
		if rows, err := ParseRows(text); err == nil && rows != nil && rows.saves(leastSavedOfJSON, rows.table.Source(), c) && estimateAll(rows.Text(), c) <= budget {
			return rows, nil
		}
		if rows := overviewRows(text, budget); rows != nil {
			return rows, nil
		}
	}
	outline, err := ParseOutline(text, budget)
	if err != nil {
		return nil, records.ErrNotJSON
	}
	return outline, nil
}
