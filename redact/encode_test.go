package redact_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/redact"
)

// TestWriters looks for a value as writers of many languages put it into texts. What they wrote was taken from the programs, or from
// their documentation where that says so.
func TestWriters(t *testing.T) {
	t.Parallel()
	const value = "p\"a's<s>&w=o`r/d +1~2$3#4?5"
	values, err := redact.NewValues([]redact.Secret{{Name: "A", Value: []byte(value)}})
	if err != nil {
		t.Fatal(err)
	}
	for writer, text := range map[string]string{
		"WHATWG, users (Node)":                        "p%22a's%3Cs%3E&w%3Do%60r%2Fd%20+1~2$3%234%3F5",
		"WHATWG, queries (Node)":                      "p%22a%27s%3Cs%3E&w=o`r/d%20+1~2$3%234?5",
		"WHATWG, paths (Node)":                        "p%22a's%3Cs%3E&w=o%60r/d%20+1~2$3%234%3F5",
		"encodeURIComponent":                          "p%22a's%3Cs%3E%26w%3Do%60r%2Fd%20%2B1~2%243%234%3F5",
		"URLSearchParams":                             "p%22a%27s%3Cs%3E%26w%3Do%60r%2Fd+%2B1%7E2%243%234%3F5",
		"urllib.parse.quote":                          "p%22a%27s%3Cs%3E%26w%3Do%60r/d%20%2B1~2%243%234%3F5",
		"quote_plus":                                  "p%22a%27s%3Cs%3E%26w%3Do%60r%2Fd+%2B1~2%243%234%3F5",
		"urlencode of PHP (documentation)":            "p%22a%27s%3Cs%3E%26w%3Do%60r%2Fd+%2B1%7E2%243%234%3F5",
		"html.escape of Python":                       "p&quot;a&#x27;s&lt;s&gt;&amp;w=o`r/d +1~2$3#4?5",
		"htmlspecialchars of PHP (documentation)":     "p&quot;a&#039;s&lt;s&gt;&amp;w=o`r/d +1~2$3#4?5",
		"Handlebars.escapeExpression (documentation)": "p&quot;a&#x27;s&lt;s&gt;&amp;w&#x3D;o&#x60;r/d +1~2$3#4?5",
		"mustache.js (documentation)":                 "p&quot;a&#39;s&lt;s&gt;&amp;w&#x3D;o&#x60;r&#x2F;d +1~2$3#4?5",
		"addslashes of PHP (documentation)":           `p\"a\'s<s>&w=o` + "`" + `r/d +1~2$3#4?5`,
		"repr of Python, util.inspect of Node":        `p"a\'s<s>&w=o` + "`" + `r/d +1~2$3#4?5`,
		"shlex.quote":                                 `p"a'"'"'s<s>&w=o` + "`" + `r/d +1~2$3#4?5`,
		"printf %q of Bash":                           "p\\\"a\\'s\\<s\\>\\&w=o\\`r/d\\ +1~2\\$3#4\\?5",
		"a shell's single quotes":                     `p"a'\''s<s>&w=o` + "`" + `r/d +1~2$3#4?5`,
		"SQL, YAML":                                   `p"a''s<s>&w=o` + "`" + `r/d +1~2$3#4?5`,
	} {
		out, found := redact.Text(redact.Options{Values: values}, []byte("before "+text+" behind"))
		if string(out) != "before [redacted:A] behind" || len(found) != 1 {
			t.Errorf("%s: %s gives %s", writer, text, out)
		}
	}
	if out, _ := redact.Text(redact.Options{Values: values}, []byte(strings.ReplaceAll(value, "p", "q"))); strings.Contains(string(out), "redacted") {
		t.Errorf("another value gives %s", out)
	}
}
