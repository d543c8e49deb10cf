package salience_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/salience"
)

var classifier = salience.New()

// TestOf has lines as programs print them, and what a reader needs of them.
func TestOf(t *testing.T) {
	for line, want := range map[string]struct {
		reason salience.Reason
		least  uint8 // score
	}{
		// compilers and linters
		"src/main.c:12:3: error: expected ';' before '}' token":                     {salience.Diagnostic, 80},
		"error[E0308]: mismatched types":                                            {salience.Error, 80},
		"src/app.ts(3,7): error TS2322: Type 'string' is not assignable":            {salience.Diagnostic, 60},
		"  12:5  error  'total' is assigned a value but never used  no-unused-vars": {salience.Diagnostic, 80},
		"[ERROR] /src/A.java:[22,29] cannot find symbol":                            {salience.Diagnostic, 76},
		"/usr/bin/ld: foo.o: undefined reference to `bar'":                          {salience.Diagnostic, 80},
		"./x.go:7:2: undefined: fmt.Printn":                                         {salience.Diagnostic, 66},
		"main.cpp:4:1: warning: unused variable 'x'":                                {salience.Warning, 40},
		// tests
		"--- FAIL: TestParse (0.01s)":                                                  {salience.Failure, 90},
		"FAILED tests/test_a.py::test_b - AssertionError: 1 != 2":                      {salience.Failure, 90},
		"FAIL: test_x (tests.Case)":                                                    {salience.Failure, 90},
		"ERROR: test_y (tests.Case)":                                                   {salience.Failure, 90},
		"____________ TestDevice.test_cauchy ____________":                             {salience.Failure, 86},
		"not ok 13 - parses an empty file":                                             {salience.Failure, 86},
		"  ● Search › retrieves comments":                                              {salience.Failure, 86},
		"  1) parses an empty file":                                                    {salience.Failure, 70},
		"    ✗ rejects a bad URL":                                                      {salience.Failure, 80},
		"[task 2025-02-13T23:52:10Z] 23:52:10     INFO - TEST-UNEXPECTED-FAIL | /fs/x": {salience.Failure, 90},
		// crashes
		"panic: runtime error: index out of range [3]":                                   {salience.Crash, 90},
		"thread 'main' panicked at src/main.rs:2:5:":                                     {salience.Crash, 90},
		"java.lang.IllegalStateException: closed":                                        {salience.Crash, 80},
		"Caused by: java.net.ConnectException: Connection refused":                       {salience.Crash, 80},
		"AssertionError: expected 3 to equal 4":                                          {salience.Crash, 80},
		"==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010": {salience.Crash, 90},
		"Segmentation fault (core dumped)":                                               {salience.Crash, 80},
		// messages
		"fatal: not a git repository (or any of the parent directories): .git": {salience.Error, 80},
		"bash: line 1: foo: command not found":                                 {salience.Error, 60},
		"cp: cannot stat 'x': No such file or directory":                       {salience.Error, 70},
		"Error response from daemon: manifest unknown":                         {salience.Error, 60},
		"ModuleNotFoundError: No module named 'cv2'":                           {salience.Error, 80},
		"No Rakefile found (looking for: rakefile, Rakefile)":                  {salience.Error, 70},
		"2022-05-20T18:25:58.93Z ##[error]Process completed with exit code 1.": {salience.Exit, 80},
		"make: *** [Makefile:39: test] Error 2":                                {salience.Exit, 70},
		"  - nothing provides libfoo.so.2()(64bit) needed by bar-1.0-1.x86_64": {salience.Error, 70},
		"The following packages have unmet dependencies:":                      {salience.Error, 70},
		"E: Couldn't download package lists":                                   {salience.Error, 60},
		// what a program that goes on says
		"WARN disk 97% full": {salience.Warning, 50},
		`time=2026-01-02T03:04:05Z level=warn msg="lease expires"`:     {salience.Warning, 50},
		"2026-01-02 03:04:05.678  WARN 4711 --- [main] c.a.Pool : x":   {salience.Warning, 50},
		"worker 3 crashed, restarting":                                 {salience.Crash, 70},
		"possible memory leak of 12 listeners":                         {salience.Crash, 50},
		"\x1b[31;1mThe command \"npm run lint\" exited with 4.\x1b[0m": {salience.Exit, 80},
		// counters
		"Tests:       3 failed, 60 passed, 63 total": {salience.Summary, 80},
		"14 tests completed, 2 failed":               {salience.Summary, 80},
		"test result: FAILED. 1 passed; 1 failed":    {salience.Failure, 86},
		"Ran 125 tests in 0.012s":                    {salience.Summary, 80},
		"17 tests in 2.310s":                         {salience.Summary, 80},
		"[INFO] BUILD SUCCESS":                       {salience.Summary, 70},
	} {
		if m := classifier.Classify([]byte(line)); m.Reason != want.reason || m.Score < want.least {
			t.Errorf("%q is %v with %d, want %v with %d", line, m.Reason, m.Score, want.reason, want.least)
		}
	}
}

// TestNoise has lines with words of errors that have none: at most a hint is seen in them.
func TestNoise(t *testing.T) {
	for _, line := range []string{
		"", "a line", "Compiling core v0.3.1", "Get:7 http://archive libgpg-error0 amd64", "Setting up liberror-perl (0.17029-1)",
		"[ RUN      ] env.c os_getenv returns NULL if the variable is not found: 52.48 ms OK", "test errors::are_shown ... ok",
		"tests/test_failed.py::test_error PASSED", "$ make check-errors", "+ set -o errexit", "0 errors, 0 warnings", "Failures: 0, Errors: 0",
		"# FAIL:  0", "no errors found", "gcc -Werror -c error.c -o error.o", "  adding: lib/errors.go", "checking for error_at_line... yes",
		"✓ shows an error when it failed", "ok  	example/errors	0.3s",
		"Failed uploads of the cache            0",
		"[ERROR] Re-run Maven using the -X switch to enable full debug logging.", "[ERROR] -> [Help 1]", "10:00:01 [ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.",
		"For more information about this error, try `rustc --explain E0308`.", "npm ERR! A complete log of this run can be found in:",
	} {
		if m := classifier.Classify([]byte(line)); m.Score >= salience.MustKeep {
			t.Errorf("%q is %v with %d", line, m.Reason, m.Score)
		}
	}
}

// TestLess: a logger that calls a line no error knows better than its words.
func TestLess(t *testing.T) {
	loud := classifier.Classify([]byte("ERROR worker: request failed: timeout"))
	quiet := classifier.Classify([]byte("INFO worker: request failed: timeout"))
	if quiet.Score >= loud.Score || loud.Score < salience.MustKeep {
		t.Errorf("INFO has %d, and ERROR %d", quiet.Score, loud.Score)
	}
}

func TestTimeLength(t *testing.T) {
	for line, want := range map[string]string{
		"2022-05-20T18:25:58.9337824Z ##[error]x": "##[error]x", "[21:46:14] x": "x", "2019-08-03 02:07:32,581 x": "x", "12:30:01.123  x": " x",
		"[task 2025-02-13T23:52:10.119Z] 23:52:10     INFO - x": "    INFO - x", "10:20 x": "10:20 x", "12:30:01": "", "[x": "[x",
		"1:2:3 x": "1:2:3 x", "192.168.0.1:80 x": "192.168.0.1:80 x", "": "", "[12:30:01 x": "[12:30:01 x", "2024/01/02 03:04:05 x": "x",
	} {
		if got := line[salience.TimeLength([]byte(line)):]; got != want {
			t.Errorf("behind the time of %q is %q, want %q", line, got, want)
		}
	}
}

func TestHollow(t *testing.T) {
	for line, want := range map[string]bool{
		"": true, "----": true, "==": true, "  }": true, "Get:1 http://x": true, "a.b": true, "abc": false, "漢": false, "}, err": false,
		"Cache errors      2": true, "Average   0.3 s": true, "src/a.go  80.5%": true, "took 3 s": false, "x  y 12": false, "12": true,
	} {
		if got := salience.Hollow([]byte(line)); got != want {
			t.Errorf("Hollow(%q) = %v", line, got)
		}
	}
}

// TestRules: the table is in order, and integration/testdata/rules.md can show it.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range salience.Rules() {
		key := r.Literal + "/" + r.Place.String() + "/" + r.Next + "/" + r.Condition() + "/" + r.Reason.String()
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		if r.Reason == salience.None || r.Score < 1 || r.Score > 100 || r.Before > 32 || r.After > 32 {
			t.Errorf("%+v", r)
		}
	}
}

// What a line is depends on it alone, whatever is in it, and colours change nothing.
func TestColours(t *testing.T) {
	lines := rapid.SampledFrom([]string{"error: x", "FAIL x", "--- FAIL: TestX", "1 passed, 2 failed", "main.c:3: warning: y", "a b c", "panic: z"})
	rapid.Check(t, func(t *rapid.T) {
		line := lines.Draw(t, "line")
		words := strings.Split(line, " ")
		for i := range words {
			if rapid.Bool().Draw(t, "colour") {
				words[i] = "\x1b[31;1m" + words[i] + "\x1b[0m"
			}
		}
		if got, want := classifier.Classify([]byte(strings.Join(words, " "))), classifier.Classify([]byte(line)); got != want {
			t.Fatalf("%q is %+v, and with colours %+v", line, want, got)
		}
	})
}

// What a reader does not see changes no mark, at the beginning of a line, inside of a word, or between a sign and its blank.
func TestHiddenCharactersChangeNothing(t *testing.T) {
	lines := rapid.SampledFrom([]string{"✗ parses an empty file", "  ● renders", "× x", "error: x", "FAIL x", "--- FAIL: TestX", "1 passed, 2 failed", "not ok 3 - x", "panic: z", "a b c"})
	hidden := rapid.SampledFrom([]string{"\x1b[31m", "\x1b[0m", "\x1b]8;;file:///a.go\x1b\\", "\x1b]0;x\a", "\u200b", "\ufeff", "\u2060", "\u202d", "\u00ad"})
	rapid.Check(t, func(t *rapid.T) {
		line := lines.Draw(t, "line")
		var b strings.Builder
		for _, r := range line {
			if rapid.IntRange(0, 3).Draw(t, "here") == 0 {
				b.WriteString(hidden.Draw(t, "hidden"))
			}
			b.WriteRune(r)
		}
		if got, want := classifier.Classify([]byte(b.String())), classifier.Classify([]byte(line)); got != want {
			t.Fatalf("%q is %+v, and %q is %+v", line, want, b.String(), got)
		}
	})
}

func FuzzOf(f *testing.F) {
	for _, line := range []string{"error: x", "[12:00:01] FAIL", "\x1b[31merror", "\x1b[", "\x1b", "[", "a.c:12:3: error", "  1) x", "0 errors", "____ x ____"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := classifier.Classify(line)
		if m.Score > 100 || (m.Score == 0) != (m == salience.Mark{}) && m.Reason == salience.None {
			t.Fatalf("%q is %+v", line, m)
		}
		if m.Score > 0 && classifier.Next(line, 0) < 0 && strings.IndexByte(string(line), 0x1b) < 0 {
			t.Fatalf("%q is %+v, and no literal is in it", line, m)
		}
		if n := salience.TimeLength(line); n < 0 || n > len(line) {
			t.Fatalf("the time of %q has %d bytes", line, n)
		}
		salience.Hollow(line)
	})
}
