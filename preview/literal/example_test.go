package literal_test

import (
	"fmt"

	"github.com/toolresult/toolresult/preview/literal"
)

func ExampleSet_Next() {
	set, err := literal.New([]string{"error", "warning"})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := []byte("cc1: Warning: unused; ERROR: none")
	for at, which := set.Next(text, 0); at >= 0; at, which = set.Next(text, at+1) {
		fmt.Println(at, which)
	}
	// Output:
	// 5 1
	// 22 0
}
