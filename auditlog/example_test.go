package auditlog_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/local"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// A log in memory. Each record has the hash of the one before it, so that Verify finds any change.
func Example() {
	ctx := context.Background()
	entries, err := journal.Open(journal.Options{Logger: slog.Default()})
	if err != nil {
		panic(err)
	}
	defer entries.Close()
	log, err := local.Open(local.Options{Journal: entries, Logger: slog.Default()})
	if err != nil {
		panic(err)
	}
	defer log.Close()
	for _, tool := range []string{"Bash", "Read", "Bash"} {
		if _, err := log.Append(ctx, &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_PROJECTION, ToolName: tool}); err != nil {
			panic(err)
		}
	}
	records, _, err := log.List(ctx, auditlog.Query{Tool: "Bash"})
	if err != nil {
		panic(err)
	}
	for _, r := range records {
		fmt.Println("record", r.GetSequence(), r.GetToolName())
	}
	verified, err := log.Verify(ctx, 0, func(i auditlog.Inconsistency) error {
		fmt.Println("record", i.Sequence, i.Reason)
		return nil
	})
	fmt.Println(verified.Intact, "intact,", verified.Inconsistent, "inconsistent,", err)
	// Output:
	// record 3 Bash
	// record 1 Bash
	// 3 intact, 0 inconsistent, <nil>
}
