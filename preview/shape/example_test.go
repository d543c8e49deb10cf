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

// A table shows its header first, and then the row that says what is wrong.
func ExampleRank() {
	rows := []string{"NAME    READY   STATUS", "web-1   1/1     Running", "web-2   0/1     OOMKilled", "web-3   1/1     Running"}
	lines := make([]shape.Ranked, len(rows))
	for i, row := range rows {
		lines[i] = shape.Ranked{Line: &textscan.Line{Text: []byte(row)}, Number: int64(i) + 1}
	}
	shape.Rank(lines, shape.Options{Shape: shape.Table, Lines: int64(len(lines))})
	for _, i := range shape.Order(lines)[:2] {
		fmt.Printf("%s\n", lines[i].Line.Text)
	}
	// Output:
	// NAME    READY   STATUS
	// web-2   0/1     OOMKilled
}
