package steps

import "bytes"

// Tests are steps, too, where a runner says where each begins and how it ended:
// what sounds like an error in the output of a test that passed was expected.

// goTests are the outputs of the tests of a log of "go test -v".
type goTests struct {
	name    []byte // of the test that writes; empty for none
	from    int
	outputs map[string][]span // by test
}

// goSigns are those of go test -v.
var goSigns = []sign{
	{"=== RUN   ", (*finder).goWrites},
	{"=== CONT  ", (*finder).goWrites},
	{"=== NAME  ", (*finder).goWrites},
	{"=== PAUSE ", (*finder).goVerdict},
	{"--- ", (*finder).goVerdict},
	{"    ", func(f *finder, at int, rest []byte) { // of a test in a test
		if verdict, found := bytes.CutPrefix(bytes.TrimLeft(rest, " "), []byte("--- ")); found {
			f.goVerdict(at, verdict)
		}
	}},
	{"FAIL", (*finder).goVerdict},
	{"panic: ", (*finder).goVerdict},
}

// goWrites takes the name of the test that writes the lines from here on.
func (f *finder) goWrites(at int, name []byte) {
	f.goVerdict(at, nil)
	f.tests.name, f.tests.from = name, at
}

// goVerdict ends the output before it, and takes "PASS: TestX (0.00s)".
func (f *finder) goVerdict(at int, verdict []byte) {
	t := &f.tests
	if s := (span{t.from, at - 1}); len(t.name) > 0 && f.whole(s) {
		if t.outputs == nil {
			t.outputs = map[string][]span{}
		}
		t.outputs[string(t.name)] = append(t.outputs[string(t.name)], s)
	}
	t.name = nil
	if name, passed := bytes.CutPrefix(verdict, []byte("PASS: ")); passed {
		name, _, _ = bytes.Cut(name, []byte(" ("))
		if outputs, ok := t.outputs[string(name)]; ok {
			f.succeeded = append(f.succeeded, outputs...)
			delete(t.outputs, string(name))
		}
	}
}

// googleSigns are those of GoogleTest.
var googleSigns = []sign{
	{"[ RUN      ] ", func(f *finder, at int, rest []byte) { f.begin("google", string(rest), at) }},
	{"[       OK ] ", func(f *finder, at int, rest []byte) {
		name, _, _ := bytes.Cut(rest, []byte(" ("))
		f.succeed("google", string(name), at)
	}},
}
