package slice_test

import (
	"context"
	"fmt"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/artifactstore/slice"
)

// A selection is read in pages that fit a budget.
func Example() {
	ctx := context.Background()
	store := memory.New()
	ref, err := store.Put(ctx, artifactstore.BytesBlob([]byte("one\ntwo\nthree\nfour\n")))
	if err != nil {
		fmt.Println(err)
		return
	}
	pages, err := store.Pages(ctx, ref.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pages.Close()
	for at := int64(-1); ; {
		page, err := slice.Read(ctx, pages, slice.Lines{First: 2}, at, slice.Budget{Bytes: 1 << 20, Lines: 2})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q\n", page.Data)
		if at = page.Next; at < 0 {
			return
		}
	}
	// Output:
	// "two\nthree\n"
	// "four\n"
}
