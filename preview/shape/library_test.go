package shape

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/textscan"
)

// stacks are stacks of programs, with "L " before each line of a library's frame.
var stacks = map[string]string{
	"python": `
  Traceback (most recent call last):
L   File "/srv/venv/lib/python3.11/site-packages/flask/app.py", line 919, in full_dispatch_request
L     rv = self.handle_user_exception(e)
L          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    File "/srv/shop/app.py", line 10, in order
      reserve(sku, n)
      ^^^^^^^^^^^^^^^
L   File "/srv/venv/lib/python3.11/site-packages/stock/client.py", line 3, in reserve
L     raise StockError(sku)
  stock.client.StockError: A1
      details: none
`,
	"go": `
  panic: close of closed channel [recovered]
  goroutine 18 [running]:
L testing.tRunner.func1.2({0x5210c0, 0x5a2d50})
L 	/usr/local/go/src/testing/testing.go:1396 +0x24e
  example.com/shop.(*Cart).Close(...)
  	/home/dev/shop/cart.go:41
L net/http.serverHandler.ServeHTTP({0xc0000b2000})
L 	/usr/local/go/src/net/http/server.go:2936 +0x316
  main.main()
  	/home/dev/shop/main.go:12 +0x1d
`,
	"rust": `
  stack backtrace:
L    0: rust_begin_unwind
L              at /rustc/90b35a623/library/std/src/panicking.rs:593:5
     1: shop::cart::close
               at ./src/cart.rs:41:9
`,
	"no stack": `
  building /usr/lib/python3/dist-packages:
    one package
  done
`,
}

// What belongs to a frame of a library is known as such, whatever the program wrote of it, and nothing else is.
func TestFramesOfLibraries(t *testing.T) {
	t.Parallel()
	for name, text := range stacks {
		var list []Ranked
		var want, got []string
		for i, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
			list = append(list, Ranked{Line: &textscan.Line{Text: []byte(line[2:])}, Number: int64(i + 1)})
			if line[0] == 'L' {
				want = append(want, line[2:])
			}
		}
		ofLibraries(list)
		for i := range list {
			if list[i].look().library {
				got = append(got, string(list[i].Line.Text))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Code that is not next to its frame, because lines between them are not kept, is no code of that frame.
func TestFramesOfLibrariesEndAtGaps(t *testing.T) {
	t.Parallel()
	list := []Ranked{
		{Line: &textscan.Line{Text: []byte(`  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode`)}, Number: 7},
		{Line: &textscan.Line{Text: []byte(`    expected: 3`)}, Number: 90},
	}
	ofLibraries(list)
	if !list[0].look().library || list[1].look().library {
		t.Errorf("library: %v, %v", list[0].look().library, list[1].look().library)
	}
}
