package memory_test

import (
	"context"
	"fmt"
	"io"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// A test gives a projector a store in memory, and reads back what was put.
func Example() {
	ctx := context.Background()
	store := memory.New()
	ref, err := store.Put(ctx, artifactstore.BytesBlob([]byte("hello\n")))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := store.Open(ctx, ref.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	fmt.Printf("%s %q %v\n", ref.Path, text, err)
	// Output: memory/8e4c7c1b "hello\n" <nil>
}
