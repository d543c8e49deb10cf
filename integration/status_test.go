package integration_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// listed is one refusal that the comment of an RPC lists; the RPC "any" stands
// for what every RPC may answer.
type listed struct{ rpc, code, reason string }

// provocation makes a sidecar refuse one call for one reason.
type provocation struct {
	listed
	field string // the first field at fault, where one is
	run   func(t *testing.T, shared *sidecar) error
}

// provocations has a row for every refusal that the contract lists.
func provocations() []provocation {
	var list []provocation
	for reason, c := range invalidProjects() {
		list = append(list, provocation{listed{"Project", "INVALID_ARGUMENT", reason}, c.field, projectOf(c.req)})
	}
	for reason, c := range invalidCanonicals() {
		list = append(list, provocation{listed{"Render", "INVALID_ARGUMENT", reason}, prefixed("canonical", c.field), renderOf(c)})
		if c.policy != nil { // Compact keeps a result that is invalid in itself
			list = append(list, provocation{listed{"Compact", "INVALID_ARGUMENT", reason}, prefixed("entries[1].canonical", c.field), compactOf(c)})
		}
	}
	for _, rpc := range []string{"Project", "Compact"} {
		list = append(list,
			provocation{listed{rpc, "RESOURCE_EXHAUSTED", "DISK_FULL"}, "", storing(rpc, onFullDisk)},
			provocation{listed{rpc, "RESOURCE_EXHAUSTED", "FD_LIMIT"}, "", storing(rpc, withoutDescriptors)},
			provocation{listed{rpc, "RESOURCE_EXHAUSTED", "ARTIFACT_TOO_LARGE"}, "", storing(rpc, withSmallFiles)},
			provocation{listed{rpc, "FAILED_PRECONDITION", "STORE_READ_ONLY"}, "", storing(rpc, onReadOnlyMount)},
			provocation{listed{rpc, "INTERNAL", "STORE_FAILED"}, "", storing(rpc, withoutTemp)})
	}
	for field, messages := range invalidStreams() {
		reason := "STREAM_ORDER"
		if field != "message" {
			reason = "FIELD_OUT_OF_BOUNDS"
		}
		for _, m := range messages {
			list = append(list, provocation{listed{"ProjectStream", "INVALID_ARGUMENT", reason}, field, streamOf(m)})
		}
	}
	list = slices.Concat(list, compactProvocations(), artifactProvocations(), fileProvocations(), logProvocations(), transportProvocations(), accessProvocations(), auditProvocations(), toolProvocations())
	return append(list, []provocation{
		{listed{"ProjectStream", "INVALID_ARGUMENT", "FAMILY_UNKNOWN"}, "header.family", streamOf([]*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: canary})})},
		{listed{"ProjectStream", "INVALID_ARGUMENT", "CHUNK_ORDER"}, "chunk.offset", streamOf(withGap())},
		{listed{"ProjectStream", "INVALID_ARGUMENT", "SIZE_MISMATCH"}, `finish.stream_bytes["stdout"]`, streamOf(withoutItsEnd())},
		{listed{"ProjectStream", "DEADLINE_EXCEEDED", "STREAM_IDLE"}, "", whileSilent},
		{listed{"ProjectSession", "INVALID_ARGUMENT", "FIELD_OUT_OF_BOUNDS"}, "number", withNumberTwice},
		{listed{"ProjectSession", "DEADLINE_EXCEEDED", "STREAM_IDLE"}, "", whileSessionRests},
		{listed{"ProjectTurn", "INVALID_ARGUMENT", "FIELD_MISSING"}, "total_tokens", turnOf(&pb.ProjectTurnRequest{Outputs: twice(completed(0, ""))})},
		{listed{"ProjectTurn", "INVALID_ARGUMENT", "FIELD_OUT_OF_BOUNDS"}, "outputs", turnOf(&pb.ProjectTurnRequest{TotalTokens: 100})},
		{listed{"ProjectTurn", "INVALID_ARGUMENT", "BUDGET_TOO_SMALL"}, "total_tokens", turnOf(&pb.ProjectTurnRequest{
			TotalTokens: 16, Outputs: twice(completed(1, "out")),
		})},
		{listed{"SetSessionFocus", "INVALID_ARGUMENT", "FIELD_MISSING"}, "session_id", focusOf("", "", canary)},
		{listed{"SetSessionFocus", "INVALID_ARGUMENT", "FIELD_TOO_LONG"}, "agent_id", focusOf("s", strings.Repeat("a", 129), canary)},
		{listed{"SetSessionFocus", "INVALID_ARGUMENT", "NAME_INVALID"}, "session_id", focusOf("a "+canary, "", canary)},
		{listed{"SetSessionFocus", "INVALID_ARGUMENT", "FIELD_OUT_OF_BOUNDS"}, "focus", focusOf("s", "", canary+strings.Repeat("x", 8193-len(canary)))},
		{listed{"SetSessionFocus", "PERMISSION_DENIED", "SESSION_MISMATCH"}, "", func(t *testing.T, s *sidecar) error {
			return setFocus(confinedTo(t, s, "own"), s, "other", "", canary)
		}},
		{listed{"Render", "NOT_FOUND", "RECORD_NOT_FOUND"}, "", renderOfRecord},
		{listed{"Render", "FAILED_PRECONDITION", "AUDIT_DISABLED"}, "", func(t *testing.T, _ *sidecar) error {
			return renderOfRecord(t, startSidecar(t, launch{Args: []string{"--audit=off"}}))
		}},
		{listed{"ParseReceipt", "INVALID_ARGUMENT", "FIELD_MISSING"}, "text", parseOf("", "")},
		{listed{"ParseReceipt", "INVALID_ARGUMENT", "FAMILY_UNKNOWN"}, "family", parseOf("Tool answered", canary)},
		{listed{"ParseReceipt", "INVALID_ARGUMENT", "RECEIPT_INVALID"}, "text", parseOf(canary, "")},
		{listed{"any", "UNAUTHENTICATED", "TOKEN_MISSING"}, "", withoutToken},
		{listed{"any", "UNAUTHENTICATED", "TOKEN_INVALID"}, "", withWrongToken},
		{listed{"any", "PERMISSION_DENIED", "AUTHORITY_NOT_ALLOWED"}, "", withForeignAuthority},
		{listed{"any", "RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE"}, "", withLargeMessage},
		{listed{"any", "RESOURCE_EXHAUSTED", "IN_FLIGHT_BYTES"}, "", withManyBytes},
		{listed{"any", "UNAVAILABLE", "DRAINING"}, "", whileDraining},
		{listed{"any", "UNAVAILABLE", "STORE_UNAVAILABLE"}, "", withFailingWrites("--audit=off")},
		{listed{"any", "CANCELLED", "CLIENT_CANCELLED"}, "", withCancelledWork},
		{listed{"any", "DEADLINE_EXCEEDED", "DEADLINE"}, "", withSlowWork},
		{listed{"any", "INTERNAL", "PANIC"}, "", withPanic},
		{listed{"any", "INTERNAL", "INTERNAL"}, "", withOddFailure},
		{listed{"any", "INVALID_ARGUMENT", "MESSAGE_INVALID"}, "", withBrokenText},
		{listed{"any", "UNIMPLEMENTED", "METHOD_UNKNOWN"}, "", withUnknownMethod},
	}...)
}

// TestRefusals provokes every refusal that the contract lists.
func TestRefusals(t *testing.T) {
	t.Parallel()
	shared := startSidecar(t, launch{Args: withFamilies(t)})
	for _, p := range provocations() {
		t.Run(p.rpc+"_"+p.reason, func(t *testing.T) {
			t.Parallel()
			err := p.run(t, shared)
			if err == nil {
				t.Fatal("the call was served")
			}
			r := wantRefusal(t, err, codeNamed(t, p.code), p.reason, p.field)
			checkReason(t, r)
		})
	}
}

// checkReason checks what single reasons promise beside their code.
func checkReason(t *testing.T, r refusal) {
	t.Helper()
	switch r.reason {
	case "BUDGET_TOO_SMALL":
		var needed, budget, shortfall int
		_, err := fmt.Sscan(r.metadata["needed"]+" "+r.metadata["budget"]+" "+r.metadata["shortfall"], &needed, &budget, &shortfall)
		if err != nil || needed-budget != shortfall || shortfall < 1 || r.metadata["unit"] != "tokens" {
			t.Errorf("the metadata is %v", r.metadata)
		}
	case "IN_FLIGHT_BYTES", "OBJECT_STORE_UNAVAILABLE", "AUDIT_LOG_UNAVAILABLE", "STORE_UNAVAILABLE", "TOKEN_BACKOFF":
		if r.retry <= 0 {
			t.Error("there is no RetryInfo")
		}
	case "PANIC", "STORE_FAILED", "INTERNAL":
		if r.metadata["incident"] == "" {
			t.Error("there is no incident id")
		}
	}
	if again := []string{"IN_FLIGHT_BYTES", "OBJECT_STORE_UNAVAILABLE", "AUDIT_LOG_UNAVAILABLE", "STORE_UNAVAILABLE", "TOKEN_BACKOFF"}; !slices.Contains(again, r.reason) && r.retry != 0 {
		t.Errorf("there is a RetryInfo of %v", r.retry)
	}
}

// TestEveryListedRefusalIsProvoked compares the table with the comments of the
// contract, both ways.
func TestEveryListedRefusalIsProvoked(t *testing.T) {
	t.Parallel()
	var inContract []listed
	for _, file := range []string{"service", "artifact", "transport", "access", "audit", "tool"} {
		text, err := os.ReadFile("../proto/toolresult/v1/" + file + ".proto")
		if err != nil {
			t.Fatal(err)
		}
		inContract = append(inContract, listedIn(string(text))...)
	}
	if len(inContract) < 40 {
		t.Fatalf("only %d refusals were found in the contract", len(inContract))
	}
	var provoked []listed
	for _, p := range provocations() {
		provoked = append(provoked, p.listed)
	}
	for _, l := range inContract {
		if !slices.Contains(provoked, l) {
			t.Errorf("the contract lists %v, and no test provokes it", l)
		}
	}
	for _, l := range provoked {
		if !slices.Contains(inContract, l) {
			t.Errorf("a test provokes %v, and the contract does not list it", l)
		}
	}
	known := map[string]bool{}
	for _, l := range inContract {
		known[l.reason] = true
	}
	apart := []string{"UNSPECIFIED", "PEER_NOT_ALLOWED", "SERVICE_UNKNOWN"} // who has no connection has no answer; of the health service
	for _, name := range pb.ErrorReason_name {
		if reason := strings.TrimPrefix(name, "ERROR_REASON_"); !known[reason] && !slices.Contains(apart, reason) {
			t.Errorf("no RPC lists the reason %s", reason)
		}
	}
}

var (
	commentLine = regexp.MustCompile(`^\s*//(.*)$`)
	declaration = regexp.MustCompile(`^\s*(?:service|rpc) (\w+)`)
	codeReasons = regexp.MustCompile(`([A-Z_]+) \(([A-Z_, ]+)\)`)
)

// listedIn reads the refusals out of the comments of a file of the contract.
func listedIn(text string) (list []listed) {
	comment := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := commentLine.FindStringSubmatch(line); m != nil {
			comment += m[1]
			continue
		}
		if m := declaration.FindStringSubmatch(line); m != nil {
			rpc := m[1]
			if strings.HasPrefix(strings.TrimSpace(line), "service") {
				rpc = "any"
			}
			list = append(list, listedFor(rpc, comment)...)
		}
		comment = ""
	}
	return list
}

// listedFor reads one comment.
func listedFor(rpc, comment string) (list []listed) {
	comment = regexp.MustCompile(`\s+`).ReplaceAllString(comment, " ")
	for _, m := range codeReasons.FindAllStringSubmatch(comment, -1) {
		for reason := range strings.SplitSeq(m[2], ",") {
			list = append(list, listed{rpc, m[1], strings.TrimSpace(reason)})
		}
	}
	return list
}

// codeNamed is the status code that the contract calls by its usual name.
func codeNamed(t *testing.T, name string) codes.Code {
	t.Helper()
	var c codes.Code
	if err := c.UnmarshalJSON([]byte(`"` + name + `"`)); err != nil {
		t.Fatal(err)
	}
	return c
}

func projectOf(req *pb.ProjectRequest) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.Project(t.Context(), req)
		return err
	}
}

func turnOf(req *pb.ProjectTurnRequest) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.ProjectTurn(t.Context(), req)
		return err
	}
}

func twice(req *pb.ProjectRequest) []*pb.ProjectRequest { return []*pb.ProjectRequest{req, req} }

func streamOf(messages []*pb.ProjectStreamRequest) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := streams(t.Context(), s, messages...)
		return err
	}
}

func renderOf(c invalidCanonical) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: c.result}, Policy: c.policy})
		return err
	}
}

// renderOfRecord renders the result on record of a call that was never made.
func renderOfRecord(t *testing.T, s *sidecar) error {
	_, err := s.Render(t.Context(), &pb.RenderRequest{Call: &pb.CallReference{SessionId: "s", CallId: "never"}})
	return err
}

func parseOf(text, family string) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.ParseReceipt(t.Context(), &pb.ParseReceiptRequest{Text: text, Family: family})
		return err
	}
}

// compactOf puts a good result before the bad one.
func compactOf(c invalidCanonical) func(*testing.T, *sidecar) error {
	return func(t *testing.T, s *sidecar) error {
		good := s.project(t, completed(0, "")).GetCanonical()
		_, err := s.Compact(t.Context(), &pb.CompactRequest{
			Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: good}}, {Result: &pb.CompactEntry_Canonical{Canonical: c.result}}},
			Policy:  &pb.CompactionPolicy{Level: trimmed, PreviewTokens: 200_000, Render: c.policy},
		})
		return err
	}
}

func prefixed(path, field string) string {
	if field == "" || strings.HasPrefix(field, "policy") {
		return "" // of the policy: Compact and Render have it at different paths
	}
	return path + "." + field
}

// storing makes Project or Compact store something where a store is broken.
func storing(rpc string, broken func(*testing.T, func(*sidecar)) *sidecar) func(*testing.T, *sidecar) error {
	return func(t *testing.T, _ *sidecar) error {
		var result *pb.CanonicalToolResult
		s := broken(t, func(s *sidecar) {
			result = s.project(t, within(&pb.Budget{MaxTokens: 100_000}, completed(0, canary+numbered(700)))).GetCanonical()
			if result.GetCommand().GetTruncated() {
				t.Fatal("the result that is to be compacted is in the store already")
			}
		})
		var err error
		if rpc == "Compact" {
			_, err = s.Compact(t.Context(), &pb.CompactRequest{
				Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: result}}}, Policy: &pb.CompactionPolicy{Level: handles},
			})
		} else {
			_, err = s.Project(t.Context(), completed(0, canary+numbered(100_000)))
		}
		if _, live := s.GetServerInfo(context.WithoutCancel(t.Context()), &pb.GetServerInfoRequest{}); live != nil {
			t.Errorf("the sidecar does not answer after the fault: %v", live)
		}
		return err
	}
}
