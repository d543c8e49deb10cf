package ingest_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/ingest"
)

// A spool receives a payload in chunks. A secret that two chunks share is replaced in the payload, and only in the original
// that the audit log keeps it is still there.
func ExampleSpool() {
	values, err := redact.NewValues([]redact.Secret{{Name: "password", Value: []byte("hunter22")}})
	if err != nil {
		log.Fatal(err)
	}
	const budget = 1000 // tokens of the excerpt
	spool, err := ingest.NewSpool(context.Background(), memory.New(), redact.Options{Values: values}, budget, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer spool.Discard()
	for _, chunk := range []string{"login with hunt", "er22\n"} {
		if err := spool.Write([][]byte{[]byte(chunk)}, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Println(spool.Size, "bytes received,", spool.Waiting(), "wait")
	}
	if err := spool.Flush(nil); err != nil {
		log.Fatal(err)
	}
	payload, err := spool.Seal()
	if err != nil {
		log.Fatal(err)
	}
	r, err := payload.Blob.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s%d bytes original\n", text, payload.Original.Size())
	// Output:
	// 15 bytes received, 4 wait
	// 20 bytes received, 0 wait
	// login with [redacted:password]
	// 20 bytes original
}
