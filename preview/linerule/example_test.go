package linerule_test

import (
	"fmt"

	"github.com/toolresult/toolresult/preview/linerule"
)

func Example() {
	rules, err := linerule.New([]string{`^warning: `}, []string{`^\s+Compiling `}, []string{`^test result: `})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{"   Compiling serde v1.0", "warning: unused variable", "test result: ok. 3 passed", "src/main.rs"} {
		fmt.Println(rules.Classify([]byte(line)))
	}
	// Output:
	// fold
	// keep
	// summary
	// none
}
