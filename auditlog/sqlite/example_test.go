package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/sqlite"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// A log in a file. It goes on where it ended, and a repeated request finds its records.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "audit-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		log, err := sqlite.Open(sqlite.Options{Path: filepath.Join(dir, "audit.db"), Logger: slog.Default()})
		if err != nil {
			panic(err)
		}
		_, err = log.Append(ctx, &pb.AuditRecord{Call: &pb.CallReference{SessionId: "s"}, RequestId: "r"})
		fmt.Println("repeated:", errors.Is(err, auditlog.ErrReused))
		found, err := log.Find(ctx, "s", "r")
		fmt.Println("found:", len(found), err)
		if err := log.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// repeated: false
	// found: 1 <nil>
	// repeated: true
	// found: 1 <nil>
}
