package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pages are what is looked at in every form.
func pages() map[string]string {
	return map[string]string{
		"sessions": "/", "records": "/records", "session": "/sessions/looked-at", "many": "/sessions/session-1",
		"huge": fmt.Sprintf("/records/%d", site.huge), "hostile": fmt.Sprintf("/records/%d", site.hostile), "build": fmt.Sprintf("/records/%d", site.build),
		"failure": "/records/999999999",
	}
}

// form is how a page is shown.
type form struct {
	name   string
	width  int64
	scheme string // light or dark
}

var forms = []form{{"wide-light", 1440, "light"}, {"wide-dark", 1440, "dark"}, {"phone-light", 390, "light"}, {"phone-dark", 390, "dark"}}

// emulate shows pages in a form.
func (f form) emulate() []chromedp.Action[chromedp.Void] {
	return []chromedp.Action[chromedp.Void]{
		chromedp.EmulateViewport(f.width, 900),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: f.scheme}},
			})
			return err
		}),
	}
}

// noted makes a page count what its policy forbids, from its first byte on.
func noted() chromedp.Action[chromedp.Void] {
	const script = `window.violations = []; document.addEventListener("securitypolicyviolation", e => window.violations.push(e.violatedDirective + " " + e.blockedURI));
		window.addEventListener("error", e => window.violations.push("error " + e.message));`
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

func TestHostileOutputStaysText(t *testing.T) {
	for _, name := range []string{"hostile", "session", "records", "sessions"} {
		ctx := tab(t, pages()[name], noted())
		if name == "hostile" {
			until(t, ctx, `document.querySelector(".log").innerText.includes("<script>document.title='owned'</script>")`)
		}
		for expression, want := range map[string]string{
			`document.title.includes("owned")`: "false", `[...document.querySelectorAll("h1")].some(e => e.innerText == "owned")`: "false",
			`document.querySelectorAll("main img, main script, main meta, a[href^='javascript']").length`:        "0",
			`[...document.querySelectorAll("script")].every(s => s.src.startsWith("` + site.root + `/static/"))`: "true",
			`window.violations.join()`: "", `location.pathname`: site.path + pages()[name],
			`/[\u202a-\u202e\u2066-\u2069\u200b]|[\u{e0000}-\u{e007f}]/u.test(document.body.innerText)`: "false",
		} {
			if got := eval[string](t, ctx, "String("+expression+")"); got != want {
				t.Errorf("%s: %s is %q, and should be %q", name, expression, got, want)
			}
		}
	}
}

func TestHugeOutputIsDrawnInParts(t *testing.T) {
	ctx := tab(t, pages()["huge"])
	if n := eval[int](t, ctx, `document.querySelectorAll("*").length`); n > 20_000 {
		t.Errorf("the page has %d elements", n)
	}
	text := eval[string](t, ctx, `document.querySelector("#complete h3").innerText`)
	if !strings.Contains(text, "1.0 GiB") {
		t.Errorf("the size is not shown: %s", text)
	}
	for range 2 { // the second page of lines is behind the first
		click(t, ctx, ".block.cut button")
		until(t, ctx, `document.querySelectorAll(".block.read .line").length > 0`)
	}
	lines := eval[[]string](t, ctx, `[...document.querySelectorAll(".block.read .line")].map(l => l.innerText)`)
	for _, l := range lines {
		if !strings.Contains(l, "lib/part") {
			t.Fatalf("a line of the file is shown as %q", l)
		}
	}
}

func TestLinesOfCutAreShownOnce(t *testing.T) {
	ctx := tab(t, pages()["build"])
	first := eval[string](t, ctx, `document.querySelector(".block.cut button").innerText`) // "Show lines 9 to 100"
	words := strings.Fields(strings.ReplaceAll(first, ",", ""))
	click(t, ctx, ".block.cut button")
	until(t, ctx, `document.querySelectorAll(".block.read .line").length > 0`)
	number := eval[string](t, ctx, `document.querySelector(".block.read .no").innerText`)
	if number != words[2] {
		t.Errorf("%q shows line %s first", first, number)
	}
	if again := eval[int](t, ctx, fmt.Sprintf(`[...document.querySelectorAll("button")].filter(b => b.innerText == %q).length`, first)); again != 0 {
		t.Errorf("%q can be clicked again", first)
	}
}

func TestKeysMoveAndOpen(t *testing.T) {
	ctx := tab(t, pages()["session"])
	do(t, ctx, chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"))
	focused := eval[string](t, ctx, `document.activeElement.getAttribute("href")`)
	if want := fmt.Sprintf("%s/records/%d", site.path, site.huge); focused != want {
		t.Fatalf("the focus is on %q, and should be on %q", focused, want)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, fmt.Sprintf(`location.pathname == "%s/records/%d"`, site.path, site.huge))
	until(t, ctx, `document.readyState == "complete"`)
	do(t, ctx, chromedp.KeyEvent("]"))
	until(t, ctx, fmt.Sprintf(`location.pathname == "%s/records/%d"`, site.path, site.hostile))
	until(t, ctx, `document.readyState == "complete"`)
	do(t, ctx, chromedp.KeyEvent("/"))
	until(t, ctx, `document.activeElement.id == "find"`)
	eval[any](t, ctx, `document.activeElement.value = ""`) // the driver types a key also where the page prevents it
	do(t, ctx, chromedp.KeyEvent("session-7"), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `location.search == "?session=session-7"`)
}

func TestSliderChangesThePlan(t *testing.T) {
	ctx := tab(t, pages()["session"])
	until(t, ctx, `document.querySelector("#plan table") != null`)
	before := eval[string](t, ctx, `document.querySelector("#plan .facts").innerText`)
	eval[any](t, ctx, `(() => { const s = document.querySelector("input[name=tokens]"); s.value = 500; s.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	until(t, ctx, fmt.Sprintf(`document.querySelector("#plan .facts").innerText != %q`, before))
	if shown := eval[string](t, ctx, `document.querySelector("#budget").innerText`); shown != "500" {
		t.Errorf("the budget is shown as %q", shown)
	}
}

func TestVerificationAndTrialAreShown(t *testing.T) {
	ctx := tab(t, pages()["build"])
	click(t, ctx, "form[hx-post$=verification] button")
	until(t, ctx, `document.querySelector("#verified .result.good") != null`)
	eval[any](t, ctx, `document.querySelector("input[name=tokens]").value = 300`)
	click(t, ctx, "form[hx-post$=trial] button")
	until(t, ctx, `document.querySelector("#trial svg.map") != null && document.querySelectorAll("#trial .only").length > 0`)
	ctx = tab(t, "/")
	click(t, ctx, "form[hx-post$='/verification'] button")
	until(t, ctx, `document.querySelector("#verified .result.good") != null`)
	if text := eval[string](t, ctx, `document.querySelector("#verified").innerText`); !strings.Contains(text, "All 100,00") { // and a few calls that tests made wrong
		t.Errorf("the log has %d records or more: %s", manyRecords+3, text)
	}
}

// finding is what axe-core found.
type finding struct {
	ID, Impact, Help string
	Nodes            []string
}

// TestPagesFitEveryScreen looks in every form of every page for what is wider than its screen and for a background of the wrong scheme,
// and runs axe-core on it, with all its rules. With TOOLRESULT_SCREENSHOTS it writes a picture of each there.
func TestPagesFitEveryScreen(t *testing.T) {
	script := axe(t)
	for _, f := range forms {
		for name, path := range pages() {
			t.Run(f.name+"/"+name, func(t *testing.T) {
				ctx := tab(t, path, f.emulate()...)
				t.Logf("answered after %.0f ms", eval[float64](t, ctx, `(e => e.responseEnd - e.requestStart)(performance.getEntriesByType("navigation")[0])`))
				if name == "session" || name == "many" {
					until(t, ctx, `document.querySelector("#plan table") != null`)
				}
				fits(t, ctx, f)
				accessible(t, ctx, script)
				if pictures := os.Getenv("TOOLRESULT_SCREENSHOTS"); pictures != "" {
					picture(t, ctx, filepath.Join(pictures, f.name+"-"+name+".png"))
				}
			})
		}
	}
}

// fits reports what does not fit the form.
func fits(t *testing.T, ctx context.Context, f form) {
	t.Helper()
	if wide := eval[int64](t, ctx, `document.scrollingElement.scrollWidth`); wide > f.width {
		t.Errorf("the page is %d wide, and the screen %d", wide, f.width)
	}
	back := eval[[]float64](t, ctx, `getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).slice(0, 3).map(Number)`)
	if dark := slices.Max(back) < 64; dark != (f.scheme == "dark") {
		t.Errorf("the background is %v", back)
	}
}

// accessible reports what axe-core finds.
func accessible(t *testing.T, ctx context.Context, axe string) {
	t.Helper()
	eval[any](t, ctx, axe+"; 0")
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]finding](`axe.run().then(r => r.violations.map(v =>
		({ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary)})))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Errorf("%s (%s): %s\n%s", v.ID, v.Impact, v.Help, strings.Join(v.Nodes, "\n"))
	}
}

// picture writes a picture of what is on the screen.
func picture(t *testing.T, ctx context.Context, path string) {
	t.Helper()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(path, png, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
