package bpe_test

import (
	"fmt"

	"github.com/toolresult/toolresult/tokens/bpe"
)

func ExampleO200k() {
	v, err := bpe.O200k()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Count("a line of ordinary words\n"))
	// Output: 6
}
