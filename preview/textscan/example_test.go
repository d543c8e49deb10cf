package textscan_test

import (
	"fmt"

	"github.com/toolresult/toolresult/preview/textscan"
)

func ExampleOneLine() {
	fmt.Println(textscan.OneLine("\x1b[31mred\x1b[0m\nnext\a line\u202e"))
	// Output: red␊next␇ line
}

// Colours go, an invalid byte is replaced, and both are counted.
func ExampleSanitise() {
	var c textscan.Changes
	form := textscan.Sanitise(nil, []byte("\x1b[1mbold\x1b[0m \xff"), &c)
	fmt.Printf("%s\n%d bytes of %d sequences, %d byte replaced\n", form, c.ControlBytes, c.Controls, c.Replaced)
	// Output:
	// bold �
	// 8 bytes of 2 sequences, 1 byte replaced
}

// A progress bar shows its last state.
func ExampleLineBuilder() {
	var b textscan.LineBuilder
	b.Begin(0)
	b.Write([]byte("10%\r 55%"), 4096)
	b.Write([]byte("\r100%"), 4096)
	line := b.Finish(4096, 14)
	fmt.Printf("%s, after %d earlier states\n", b.Text(), line.Updates)
	// Output: 100%, after 2 earlier states
}
