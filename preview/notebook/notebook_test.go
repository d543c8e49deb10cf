package notebook_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/preview/notebook"
)

// cells is a notebook: a text, a value, prints, a picture, and an error.
const cells = `{
 "cells": [
  {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Sales\n", "\n", "Which centre loses revenue?"]},
  {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": "import pandas as pd"},
  {"cell_type": "code", "execution_count": 2, "metadata": {}, "source": ["t = load()\n", "t"], "outputs": [
   {"output_type": "execute_result", "execution_count": 2, "metadata": {}, "data": {
    "text/html": ["<table><tr><td>Altona</td></tr></table>"], "text/plain": ["   centre  euros\n", "0  Altona     12"]}}]},
  {"cell_type": "code", "execution_count": 3, "metadata": {}, "source": ["print('a')\n", "plot(t)"], "outputs": [
   {"output_type": "stream", "name": "stdout", "text": ["  1%|\r 100%|done\n", "lowest: Altona\n"]},
   {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo=", "text/plain": ["<Figure size 1x1 with 1 Axes>"]}}]},
  {"cell_type": "code", "execution_count": 4, "metadata": {}, "source": ["t.title"], "outputs": [
   {"output_type": "error", "ename": "AttributeError", "evalue": "no attribute 'title'", "traceback": [
    "\u001b[31m-----------------------\u001b[39m",
    "\u001b[31mAttributeError\u001b[39m      Traceback (most recent call last)",
    "\u001b[36mCell\u001b[39m \u001b[32mIn[4]\u001b[39m, line 1\n\u001b[32m----> 1\u001b[39m t.title",
    "File /venv/lib/python3.11/site-packages/pandas/core/generic.py:6434, in NDFrame.__getattr__(self, name)\n   6433 x\n-> 6434 return object",
    "\u001b[31mAttributeError\u001b[39m: no attribute 'title'"]}]},
  {"cell_type": "markdown", "metadata": {}, "source": "## Result\n\nAltona loses."}
 ],
 "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5
}`

const asText = `# Sales
Which centre loses revenue?
In [1]: import pandas as pd
In [2]: t = load()
t
Out[2]:
   centre  euros
0  Altona     12
In [3]: print('a')
plot(t)
 100%|done
lowest: Altona
Out[3]: <Figure size 1x1 with 1 Axes> [image/png, 9 bytes]
In [4]: t.title
[4] AttributeError: no attribute 'title'
Cell In[4], line 1
----> 1 t.title
File /venv/lib/python3.11/site-packages/pandas/core/generic.py:6434, in NDFrame.__getattr__(self, name)
   6433 x
-> 6434 return object
## Result
Altona loses.
`

// lines returns the lines of a readable form, and checks their ranks.
func lines(t *testing.T, n *notebook.Notebook) []string {
	list := strings.Split(strings.TrimSuffix(string(n.Text()), "\n"), "\n")
	if len(list) != n.Len() {
		t.Fatalf("%d lines, not %d", n.Len(), len(list))
	}
	for i := range list {
		if r := n.Rank(i); r.Score < 1 || r.Score > 100 {
			t.Fatalf("%q has the rank %+v", list[i], r)
		}
	}
	return list
}

// A notebook is the text of its cells and of their outputs.
func TestNotebookIsItsText(t *testing.T) {
	for _, text := range []string{cells, "Cloning into 'sales'...\n" + cells + "\n"} {
		n, err := notebook.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := string(n.Text())
		if diff := cmp.Diff(strings.TrimPrefix(got, "Cloning into 'sales'...\n"), asText); diff != "" {
			t.Error(diff)
		}
	}
}

// Errors with the frames of the own code come first, then headings, prints and values, then code and
// the frames of libraries.
func TestOrderOfLines(t *testing.T) {
	n, err := notebook.Parse([]byte(cells))
	if err != nil {
		t.Fatal(err)
	}
	list := lines(t, n)
	rank := func(part string) int {
		return n.Rank(slices.IndexFunc(list, func(l string) bool { return strings.Contains(l, part) })).Score
	}
	order := []string{"[4] Attr", "----> 1", "Cell In", "# Sales", "lowest:", "Out[2]", "In [2]", "-> 6434", "import", "6433"}
	for i, part := range order[1:] {
		if rank(order[i]) <= rank(part) && part != "6433" {
			t.Errorf("%q has %d, %q has %d", order[i], rank(order[i]), part, rank(part))
		}
	}
}

// Lines of a progress come after others.
func TestProgressComesLast(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		b.WriteString("Epoch " + strings.Repeat("1", 1+i%3) + "/40 loss=0." + strings.Repeat("7", 1+i%4) + "\n")
	}
	source, _ := json.Marshal(b.String() + "best epoch: 12\n")
	n, err := notebook.Parse([]byte(`{"cells":[{"cell_type":"code","execution_count":null,"metadata":{},"source":"train()",
		"outputs":[{"output_type":"stream","name":"stdout","text":` + string(source) + `}]}],"nbformat":4}`))
	if err != nil {
		t.Fatal(err)
	}
	list := lines(t, n)
	last := len(list) - 1
	if list[last] != "best epoch: 12" || n.Rank(20).Score >= n.Rank(last).Score || n.Rank(20).Score >= n.Rank(1).Score {
		t.Errorf("%q: %v, %v, %v", list[last], n.Rank(1), n.Rank(20), n.Rank(last))
	}
}

const exported = "[NbConvertApp] Converting notebook stock.ipynb to markdown\n# Stock\n\nThe count.\n\n\n```python\nbook.head(1)\n```\n\n\n\n\n" +
	"<div>\n<style scoped>\n    .dataframe th {\n    }\n</style>\n<table border=\"1\" class=\"dataframe\">\n  <thead>\n    <tr>\n      <th></th>\n      <th>sku</th>\n    </tr>\n  </thead>\n" +
	"  <tbody>\n    <tr>\n      <th>0</th>\n      <td>H4&amp;0</td>\n    </tr>\n  </tbody>\n</table>\n</div>\n\n\n\n\n```python\naudit()\n```\n\n    17 differ\n\n\n\n" +
	"    ---------------------------------------------------------------------------\n\n    KeyError                                  Traceback (most recent call last)\n\n" +
	"    Cell In[5], line 9\n    ----> 9 audit()\n\n\n    KeyError: 'H4-075'\n\n\n![png](stock_files/stock_7_0.png)\n\n\n## Next\n\nCount again.\n"

// An export as Markdown is read as the notebook.
func TestExportAsMarkdown(t *testing.T) {
	n, err := notebook.ParseText([]byte(exported))
	if err != nil {
		t.Fatal(err)
	}
	const want = "[NbConvertApp] Converting notebook stock.ipynb to markdown\n# Stock\nThe count.\nIn: book.head(1)\nOut:\n    sku\n  0  H4&0\nIn: audit()\n17 differ\n" +
		"KeyError: 'H4-075'\nCell In[5], line 9\n----> 9 audit()\nOut: ![png](stock_files/stock_7_0.png)\n## Next\nCount again.\n"
	if diff := cmp.Diff(string(n.Text()), want); diff != "" {
		t.Error(diff)
	}
	lines(t, n)
}

// Other text is no notebook.
func TestNoNotebook(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          ``,
		"no cells":       `{"cells": [], "nbformat": 4}`,
		"other cells":    `{"cells": [{"cell_type": "td"}, 5]}`,
		"a list":         `[{"cell_type": "code", "source": "x"}]`,
		"README":         "# Tool\n\n```sh\nmake\n```\n\nIt prints:\n\n```\nok\n```\n",
		"open fence":     "a\n```python\nx\n",
		"no JSON at all": `"cell_type"`,
	} {
		if n, err := notebook.Parse([]byte(text)); !errors.Is(err, notebook.ErrNone) {
			t.Errorf("%s: %v, %v", name, n, err)
		}
		if n, err := notebook.ParseText([]byte(text)); !errors.Is(err, notebook.ErrNone) {
			t.Errorf("%s as text: %v, %v", name, n, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(cells))
	f.Add([]byte(exported))
	f.Add([]byte(cells[:900]))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, parse := range []func([]byte) (*notebook.Notebook, error){notebook.Parse, notebook.ParseText, notebook.ParseScript} {
			n, err := parse(text)
			if err != nil {
				continue
			}
			lines(t, n)
			if len(n.Text()) > 16*len(text)+1024 {
				t.Fatalf("%d bytes of %d", len(n.Text()), len(text))
			}
		}
	})
}

// An export as a script has the text of a notebook in comments.
func TestExportAsScript(t *testing.T) {
	const script = "#!/usr/bin/env python\n# coding: utf-8\n\n# # Stock\n# \n# The count.\n\n# In[1]:\n\n\nimport pandas as pd\n\n\n# In[ ]:\n\n\n# count\nn = 2\n\nprint(n)\n\n\n# ## Next\n# \n# Count again.\n"
	n, err := notebook.ParseScript([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	const want = "# Stock\nThe count.\nIn [1]: import pandas as pd\nIn: # count\nn = 2\nprint(n)\n## Next\nCount again.\n"
	if diff := cmp.Diff(string(n.Text()), want); diff != "" {
		t.Error(diff)
	}
	lines(t, n)
}
