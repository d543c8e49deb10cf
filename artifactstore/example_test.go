package artifactstore_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// A payload that arrives in pieces is staged, sealed, and put without being copied again.
func Example() {
	ctx := context.Background()
	parent, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent) // an example leaves nothing behind
	store, err := dir.Open(parent+"/artifacts", dir.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close() // every artifact is durable already

	ref, err := upload(ctx, store, "every line ", "of the output\n")
	if err != nil {
		log.Fatal(err)
	}
	r, err := store.Open(ctx, ref.Name)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	fmt.Print(ref.Name, ", ", ref.Size, " bytes: ", string(text))
	fmt.Println(err)
	// Output:
	// ce763d87, 25 bytes: every line of the output
	// <nil>
}

// upload stores what arrives in pieces.
func upload(ctx context.Context, store artifactstore.Store, pieces ...string) (artifactstore.Ref, error) {
	stage, err := store.Stage(ctx)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	defer stage.Discard() // whatever happens; it never removes an artifact
	for _, piece := range pieces {
		if _, err := io.WriteString(stage, piece); err != nil {
			return artifactstore.Ref{}, err
		}
	}
	blob, err := stage.Seal()
	if err != nil {
		return artifactstore.Ref{}, err
	}
	return store.Put(ctx, blob)
}
