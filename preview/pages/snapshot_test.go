package pages_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/pages"
)

// Real trees, as Playwright MCP, Chrome DevTools MCP and others print them.
const (
	playwrightTree = "### Page\n- Page URL: http://127.0.0.1:8123/form.html\n- Page Title: Checkout\n### Snapshot\n```yaml\n" + `- generic [active] [ref=e1]:
  - banner [ref=e2]:
    - navigation "Main" [ref=e3]:
      - list [ref=e4]:
        - listitem [ref=e5]:
          - link "Home" [ref=e6] [cursor=pointer]:
            - /url: /
        - listitem [ref=e7]:
          - link "Shop" [ref=e8] [cursor=pointer]:
            - /url: /shop
  - main [ref=e14]:
    - heading "Checkout" [level=1] [ref=e15]
    - alert [ref=e16]: "Your card was declined: check the number."
    - generic [ref=e17]:
      - group "Contact" [ref=e18]:
        - generic [ref=e20]:
          - text: Email
          - textbox "Email" [ref=e21]: ann@example.org
        - generic [ref=e22]:
          - checkbox "Send me news" [checked] [ref=e23]
          - text: Send me news
      - combobox "Country" [ref=e36]:
        - option "Germany"
        - option "United States" [selected]
      - 'button "Pay: now" [disabled] [ref=e50]'
    - table [ref=e52]:
      - rowgroup [ref=e53]:
        - row [ref=e54]:
          - cell "Blue mug" [ref=e55]
          - cell "$18.00" [ref=e56]
    - paragraph [ref=e60]: The parcel leaves our house on the day of the order, if you pay before noon and it is in stock. It takes two days from there.
    - img [ref=e61]
` + "```\n"
	devtoolsTree = `## Latest page snapshot
uid=4_0 RootWebArea "Checkout" url="http://127.0.0.1:8123/form.html"
  uid=4_1 banner
    uid=4_3 link "Home" url="http://127.0.0.1:8123/"
  uid=4_12 main
    uid=4_13 heading "Checkout" level="1"
    uid=4_14 alert atomic live="assertive" relevant="additions text"
      uid=4_15 "Your card was declined."
    uid=4_18 "Email "
    uid=4_19 textbox "Email" value="ann@example.org"
    uid=4_47 button "Pay \"now\"" disableable disabled
`
	numberedTree = `[1] RootWebArea "Search" [focused: True, url: https://www.example.com/]
  [76] link "About" [url: https://www.example.com/about]
  [4] StaticText "Nothing was found."
  [5] textbox "Search" [required: False]
  [6] button "Search"
  [7] link "Help" [url: https://www.example.com/help]
  [8] heading "Results"
  [9] StaticText "Try other words."
`
)

// The readable form of a tree has its main part first, with the references of what can be
// clicked, and without wrappers and addresses.
func TestReadSnapshot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"Playwright": {playwrightTree, `### Page
- Page URL: http://127.0.0.1:8123/form.html
- Page Title: Checkout
### Snapshot
heading "Checkout" [level=1]
Your card was declined: check the number.
group "Contact"
textbox "Email" [ref=e21]: ann@example.org
checkbox "Send me news" [checked] [ref=e23]
combobox "Country" [ref=e36] option "Germany" option "United States" [selected]
button "Pay: now" [disabled] [ref=e50]
cell "Blue mug" · cell "$18.00"
The parcel leaves our house on the day of the order, if you pay before noon and it is in stock.
It takes two days from there.
Beside the main part:
navigation "Main"
link "Home" [ref=e6] · link "Shop" [ref=e8]
`},
		"Chrome DevTools": {devtoolsTree, `## Latest page snapshot
RootWebArea "Checkout" url="http://127.0.0.1:8123/form.html"
heading "Checkout" level="1"
Your card was declined.
uid=4_19 textbox "Email" value="ann@example.org"
uid=4_47 button "Pay \"now\"" disabled
Beside the main part:
uid=4_3 link "Home"
`},
		"numbered": {numberedTree, `RootWebArea "Search" [focused: True, url: https://www.example.com/]
link "About" [76]
Nothing was found.
textbox "Search" [required: False] [5]
button "Search" [6]
link "Help" [7]
heading "Results"
Try other words.
`},
	} {
		f := pages.ReadSnapshot([]byte(c.text))
		if f == nil {
			t.Errorf("%s: no tree", name)
			continue
		}
		if string(f.Text()) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, f.Text(), c.want)
		}
	}
}

// Trees of tags, as browser-use prints them, and JSON with the state of a browser.
const (
	tagTree = "[Start of page]\n[1]<a />\n\tHome\n*[2]<input type=text placeholder=Job title name=q />\n[3]<button type=submit />\n\tSearch jobs\n" +
		"312 jobs in Gent\n[4]<a>Cook</a>\n[5]<button aria-label='Save job'></button>\n|SCROLL|<div />\n[6]<input type=checkbox />\n\tPart time\n" +
		"[7]<select name=sort />\n\tNewest\n[8]*<a>Next page</a>\n[End of page]\n"
	stateJSON = `{"url": "https://www.example.com/jobs", "title": "Jobs", "tabs": [], "interactive_elements": [` +
		`{"index": 0, "tag": "a", "text": "Home"}, {"index": 1, "tag": "input", "text": "", "placeholder": "Job title"}, {"index": 2, "tag": "button", "text": "Search"},` +
		`{"index": 3, "tag": "a", "text": "Cook"}, {"index": 4, "tag": "a", "text": "Nurse"}, {"index": 5, "tag": "a", "text": "Driver"},` +
		`{"index": 6, "tag": "a", "text": "Next\npage"}, {"index": 7, "tag": "button", "text": "Close"}]}`
)

// The text of an element is behind its tag.
func TestReadTags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		tagTree: `[Start of page]
[1]<a /> Home
*[2]<input type=text placeholder=Job title name=q />
[3]<button type=submit /> Search jobs
312 jobs in Gent
[4]<a>Cook</a>
[5]<button aria-label='Save job'></button>
|SCROLL|<div />
[6]<input type=checkbox /> Part time
[7]<select name=sort /> Newest
[8]*<a>Next page</a>
[End of page]
`,
		stateJSON: `Page URL: https://www.example.com/jobs
Page Title: Jobs
[0]<a /> Home
[1]<input placeholder=Job title />
[2]<button /> Search
[3]<a /> Cook
[4]<a /> Nurse
[5]<a /> Driver
[6]<a /> Next page
[7]<button /> Close
`,
	} {
		f := pages.ReadSnapshot([]byte(text))
		if f == nil {
			t.Errorf("no tree: %.40s", text)
		} else if string(f.Text()) != want {
			t.Errorf("%.40s:\n%s\nwant\n%s", text, f.Text(), want)
		}
	}
}

// Rows are found by their roles, by wrappers of one form, and by controls that return. One that
// says something that others do not is odd, and has the controls of every row behind it.
func TestOddRows(t *testing.T) {
	t.Parallel()
	const rows, odd = 12, 7
	for name, c := range map[string]struct {
		row    func(i int, state string) string
		before string
		state  string
	}{
		"wrappers": {func(i int, state string) string {
			return fmt.Sprintf("    - generic [ref=r%d]:\n      - link \"Mug %d\" [ref=l%d] [cursor=pointer]:\n        - /url: /m\n%s      - generic [ref=p%d]: $18.00\n      - button \"Add to cart\" [ref=b%d]\n",
				i, i, i, state, i, i)
		}, "- main [ref=e1]:\n  - generic [ref=e2]:\n", "      - generic [ref=s]: Only 2 left\n"},
		"items": {func(i int, state string) string {
			return fmt.Sprintf("    - listitem [ref=r%d]:\n      - link \"Mug %d\" [ref=l%d]\n%s      - button \"Add to cart\" [ref=b%d]\n", i, i, i, state, i)
		}, "- main [ref=e1]:\n  - list [ref=e2]:\n", "      - text: Only 2 left\n"},
		"controls": {func(i int, state string) string {
			return fmt.Sprintf("    uid=l%d link \"Mug %d\"\n    uid=p%d StaticText \"$18.00\"\n%s    uid=b%d button \"Add to cart\"\n", i, i, i, state, i)
		}, "uid=e1 RootWebArea \"Mugs\"\n  uid=e2 main\n    uid=e3 heading \"Mugs\"\n", "    uid=s StaticText \"Only 2 left\"\n"},
	} {
		var b strings.Builder
		b.WriteString(c.before)
		for i := range rows {
			state := ""
			if i == odd {
				state = c.state
			}
			b.WriteString(c.row(i, state))
		}
		f := pages.ReadSnapshot([]byte(b.String()))
		if f == nil {
			t.Fatalf("%s: no tree", name)
		}
		lines := strings.Split(strings.TrimSuffix(string(f.Text()), "\n"), "\n")
		for i, line := range lines {
			if button := strings.Index(line, "button"); button > 0 && strings.HasPrefix(line, "Mug ") {
				var row, ref int
				fmt.Sscanf(line, "Mug %d:", &row)                                //nolint:errcheck // checked by what it reads
				fmt.Sscanf(line[strings.LastIndexAny(line, "=")+2:], "%d", &ref) //nolint:errcheck // the same
				if name != "controls" && (row != ref || row == odd) {
					t.Errorf("%s: %q is of another row", name, line)
				}
				continue
			}
			if !strings.Contains(line, "\"Mug ") {
				continue
			}
			isOdd := strings.Contains(line, fmt.Sprintf("\"Mug %d\"", odd))
			switch l := f.Line(i); {
			case l.Row == 0:
				t.Errorf("%s: %q is in no row", name, line)
			case isOdd && (l.Odd < 3 || !strings.Contains(line, "Only 2 left") || !strings.Contains(lines[i+1], fmt.Sprintf("b%d", odd))):
				t.Errorf("%s: %q is not odd (%d), or %q has no control", name, line, l.Odd, lines[i+1])
			case !isOdd && l.Odd >= 3:
				t.Errorf("%s: %q is odd", name, line)
			}
		}
	}
}

// Clickable wrappers have the text inside of them beside their reference.
func TestClickableWrapper(t *testing.T) {
	t.Parallel()
	f := pages.ReadSnapshot([]byte("- main [ref=e1]:\n  - generic [ref=e2] [cursor=pointer]:\n    - generic [ref=e3]: Night shift\n    - generic [ref=e4]: Open\n" +
		strings.Repeat("  - button \"Save\" [ref=e9]\n", 6)))
	if f == nil || !strings.Contains(string(f.Text()), "generic [ref=e2] Night shift · Open\n") {
		t.Errorf("the wrapper is apart from its text\n%s", f.Text())
	}
}

// The lines of a tree have kinds, and alerts are known.
func TestLinesOfSnapshot(t *testing.T) {
	t.Parallel()
	f := pages.ReadSnapshot([]byte(playwrightTree))
	kinds := map[string]pages.Kind{}
	for i, line := range strings.Split(strings.TrimSuffix(string(f.Text()), "\n"), "\n") {
		kinds[line] = f.Line(i).Kind
	}
	for line, want := range map[string]pages.Kind{
		`heading "Checkout" [level=1]`: pages.Heading, "Your card was declined: check the number.": pages.Alert,
		"textbox \"Email\" [ref=e21]: ann@example.org": pages.Field, `button "Pay: now" [disabled] [ref=e50]`: pages.Control,
		`cell "Blue mug" · cell "$18.00"`: pages.Fact, `link "Home" [ref=e6] · link "Shop" [ref=e8]`: pages.Links, "It takes two days from there.": pages.Sentence,
	} {
		if kinds[line] != want {
			t.Errorf("%q is %d, want %d", line, kinds[line], want)
		}
	}
}

// Lists and settings that only look like trees are none.
func TestNoSnapshot(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", strings.Repeat("- item of a list\n", 40), strings.Repeat("- name: x\n  text: y\n", 40), strings.Repeat("link a b\nbutton c\n", 40),
		strings.Repeat("- text: only\n", 40), "# Notes\n\n" + strings.Repeat("The page has a button.\n", 30) + playwrightTree[:200],
	} {
		if f := pages.ReadSnapshot([]byte(text)); f != nil {
			t.Errorf("%.40q is read as\n%s", text, f.Text())
		}
	}
}

// What can be clicked keeps its reference on its line, and no text is lost.
func TestReferencesAreKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		depth, clickable := 0, map[string]string{}
		n := rapid.IntRange(10, 80).Draw(t, "elements")
		for i := range n {
			depth = rapid.IntRange(0, depth+1).Draw(t, "depth")
			role := rapid.SampledFrom([]string{
				"generic", "main", "navigation", "list", "listitem", "row", "cell", "link", "button", "textbox", "checkbox", "heading", "paragraph", "dialog", "alert",
			}).Draw(t, "role")
			name := fmt.Sprintf("name%03d", i)
			fmt.Fprintf(&b, "%s- %s \"%s\" [ref=e%d]:\n", strings.Repeat("  ", depth), role, name, i)
			if role == "link" || role == "button" || role == "textbox" || role == "checkbox" {
				clickable[name] = fmt.Sprintf("%s \"%s\" [ref=e%d]", role, name, i)
			}
		}
		f := pages.ReadSnapshot([]byte(b.String()))
		if f == nil {
			t.Fatalf("no tree\n%s", b.String())
		}
		checkForm(t, []byte(b.String()), f)
		for name, want := range clickable {
			if !bytes.Contains(f.Text(), []byte(want)) {
				t.Errorf("%s is not there as %s\n%s\n%s", name, want, b.String(), f.Text())
			}
		}
		for i := range n {
			if name := fmt.Sprintf("name%03d", i); !bytes.Contains(f.Text(), []byte(name)) && !isWrapper(b.String(), name) {
				t.Errorf("%s is lost\n%s\n%s", name, b.String(), f.Text())
			}
		}
	})
}

// isWrapper reports whether a name is of an element that says nothing by itself.
func isWrapper(tree, name string) bool {
	line := tree[:strings.Index(tree, name)]
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	return strings.HasPrefix(line, "- generic")
}

// Trees that are made to take much time are read in little.
func TestHostileSnapshot(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	var deep strings.Builder
	for i := 0; deep.Len() < size; i++ {
		fmt.Fprintf(&deep, "%s- button \"x%d\" [ref=e%d]:\n", strings.Repeat(" ", i%4000), i, i)
	}
	for _, text := range []string{
		deep.String(), strings.Repeat("- button \"", size/10) + "\n", strings.Repeat("- button \"x\" [ref=e1]\n", size/22),
		strings.Repeat("- listitem [ref=e1]: x\n", size/23), strings.Repeat("- cell \"\\\" [ref=e1]\n", size/21),
		strings.Repeat("[1]<a /> x\n", size/11), "[" + strings.Repeat("[1]<button aria-label=\n", size/22), strings.Repeat("- generic [ref=e1] [cursor=pointer]:\n", size/38),
		"- row [ref=e1]:\n" + strings.Repeat("  - button \"x\" [ref=e1]\n", size/24),
	} {
		checkForm(t, []byte(text), pages.ReadSnapshot([]byte(text)))
	}
}
