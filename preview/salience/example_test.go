package salience_test

import (
	"fmt"

	"github.com/toolresult/toolresult/preview/salience"
)

func ExampleClassifier_Classify() {
	for _, line := range []string{"main.go:12:2: undefined: x", "--- FAIL: TestParse (0.01s)", "0 errors", "compiling"} {
		m := salience.Builtin().Classify([]byte(line))
		fmt.Printf("%q: %q, must be kept: %v\n", line, m.Reason.String(), m.Score >= salience.MustKeep)
	}
	// Output:
	// "main.go:12:2: undefined: x": "diagnostic", must be kept: true
	// "--- FAIL: TestParse (0.01s)": "failure", must be kept: true
	// "0 errors": "", must be kept: false
	// "compiling": "", must be kept: false
}
