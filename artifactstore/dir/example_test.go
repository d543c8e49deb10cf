package dir_test

import (
	"context"
	"fmt"
	"os"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// A log grows while a task runs. When it is finished, its path leads to the artifact.
func Example_log() {
	ctx := context.Background()
	parent, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(parent)
	store, err := dir.Open(parent+"/artifacts", dir.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	log, err := store.OpenLog(ctx, artifactstore.LogName("session", "call"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{"compiling\n", "linking\n"} {
		if err := log.Append([]byte(line)); err != nil {
			fmt.Println(err)
		}
	}
	durable, err := log.Sync()
	fmt.Println(durable, "bytes survive a power cut,", err)

	ref, err := log.Finish(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	name, err := store.Resolve(log.Path())
	fmt.Println(name == ref.Name, ref.Size, err)
	// Output:
	// 18 bytes survive a power cut, <nil>
	// true 18 <nil>
}
