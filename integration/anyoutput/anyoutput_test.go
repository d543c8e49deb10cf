package anyoutput_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"

	"google.golang.org/genproto/googleapis/rpc/errdetails"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// counts are what came of the cases.
type counts struct {
	Cases, Refused, TooSmall, Over, Unread, Invented atomic.Int64
	families                                         sync.Map // name to *atomic.Int64
	shown                                            atomic.Int64
}

// maxShown bounds how many failures a run prints.
const maxShown = 20

// TestAnyOutput is the attack. A case fails when its output is refused although only a tool is
// to blame, when its receipt is over the budget or cannot be read back, and when it states what
// the request does not have.
func TestAnyOutput(t *testing.T) {
	texts, s := realTexts(t), start(t)
	var c counts
	var next atomic.Int64
	began := time.Now()
	var wg sync.WaitGroup
	for range *workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < *cases; i = int(next.Add(1)) - 1 {
				c.run(t, s, *from+i, newSource(*seed, *from+i, texts))
			}
		})
	}
	wg.Wait()
	c.report(t, time.Since(began))
}

// run runs one case.
func (c *counts) run(t *testing.T, s *sidecar, number int, src *source) {
	req := src.request()
	c.Cases.Add(1)
	resp, err := s.Project(t.Context(), req)
	fail := func(counter *atomic.Int64, what string) {
		counter.Add(1)
		if c.shown.Add(1) <= maxShown {
			text := prototext.Format(req)
			t.Errorf("case %d of seed %d: %s\n%.1500s\n%.1500s", number, *seed, what, text, resp.GetReceipt().GetText())
		}
	}
	if err != nil {
		if reason(err) == "BUDGET_TOO_SMALL" && req.GetPolicy() != nil {
			c.TooSmall.Add(1) // the caller's own budget
			return
		}
		fail(&c.Refused, err.Error())
		return
	}
	n, _ := c.families.LoadOrStore(resp.GetFamily(), &atomic.Int64{})
	n.(*atomic.Int64).Add(1)
	if why := overBudget(req, resp.GetReceipt()); why != "" {
		fail(&c.Over, why)
	}
	parsed, err := s.ParseReceipt(t.Context(), &pb.ParseReceiptRequest{Text: resp.GetReceipt().GetText()})
	if err != nil {
		fail(&c.Unread, err.Error())
		return
	}
	given := givenBy(req.GetOutput(), resp.GetFamily())
	wrong := given.read(resp.GetCanonical().ProtoReflect())
	if wrong = append(wrong, given.check(parsed, req.GetOutput())...); len(wrong) > 0 {
		fail(&c.Invented, strings.Join(wrong, "\n"))
	}
}

// reason is that of the ErrorInfo of a refusal.
func reason(err error) string {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}

// overBudget says by what a receipt is larger than the policy allows.
func overBudget(req *pb.ProjectRequest, r *pb.Receipt) string {
	b := req.GetPolicy().GetRender().GetBudget()
	lines := 1 + strings.Count(r.GetText(), "\n")
	switch {
	case b.GetMaxTokens() > 0 && r.GetTokens() > b.GetMaxTokens():
		return fmt.Sprintf("%d tokens, and %d are allowed", r.GetTokens(), b.GetMaxTokens())
	case b.GetMaxTokens() == 0 && r.GetTokens() > 8000:
		return fmt.Sprintf("%d tokens, and no family has so many by default", r.GetTokens())
	case b.GetMaxLines() > 0 && lines > int(b.GetMaxLines()):
		return fmt.Sprintf("%d lines, and %d are allowed", lines, b.GetMaxLines())
	case b.GetMaxBytes() > 0 && len(r.GetText()) > int(b.GetMaxBytes()):
		return fmt.Sprintf("%d bytes, and %d are allowed", len(r.GetText()), b.GetMaxBytes())
	}
	return ""
}

// report says what came of all cases, and appends it to the ledger.
func (c *counts) report(t *testing.T, took time.Duration) {
	t.Helper()
	families := map[string]int64{}
	c.families.Range(func(name, n any) bool {
		families[name.(string)] = n.(*atomic.Int64).Load()
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(families)) {
		t.Logf("%-18s %d", name, families[name])
	}
	line, err := json.Marshal(map[string]any{
		"seed": *seed, "from": *from, "cases": c.Cases.Load(), "refused": c.Refused.Load(), "over_budget": c.Over.Load(),
		"not_read": c.Unread.Load(), "invented": c.Invented.Load(), "budget_of_caller_too_small": c.TooSmall.Load(),
		"families": len(families), "seconds": int(took.Seconds()),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", line)
	if info, err := (pb.ToolResultServiceClient).GetServerInfo(start(t), context.Background(), &pb.GetServerInfoRequest{}); err == nil && *cases >= 4000 {
		if missing := len(info.GetFamilies()) - len(families); missing > 0 { // errors are one more
			t.Errorf("%d families never came", missing)
		}
	}
	if *ledger == "" {
		return
	}
	f, err := os.OpenFile(*ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
