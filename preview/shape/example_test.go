package shape_test

import (
	"fmt"

	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

func ExampleDetectText() {
	text := "src/a.go:12:\tfunc add() {}\nsrc/a.go:30:\tadd()\nsrc/b.go:7:\tadd()\n"
	fmt.Println(shape.DetectText(text, shape.None) == shape.Search)
	// Output: true
}

// A listing shows the names of its folders first.
func ExampleRank() {
	rows := []string{".:", "a.go", "b.go", "", "./src:", "c.go", "d.go"}
	lines := make([]shape.Ranked, len(rows))
	for i, row := range rows {
		lines[i] = shape.Ranked{Line: &textscan.Line{Text: []byte(row)}, Number: int64(i) + 1}
	}
	shape.Rank(lines, shape.Options{Shape: shape.Listing, Lines: int64(len(lines))})
	for _, i := range shape.Order(lines)[:3] {
		fmt.Printf("%s\n", lines[i].Line.Text)
	}
	// Output:
	// .:
	// ./src:
	// a.go
}
