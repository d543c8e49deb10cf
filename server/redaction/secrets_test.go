package redaction

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
)

// registering is the service that takes values, and what it would redact with them.
type registering struct {
	*Secrets
}

func newRegistering() *registering {
	return &registering{NewSecrets()}
}

func (r *registering) set(ctx context.Context, session string, secrets ...*pb.RegisteredSecret) (id string, rejected *apierror.StatusError) {
	resp, err := r.RegisterSecrets(ctx, &pb.RegisterSecretsRequest{SessionId: session, Secrets: secrets})
	if err != nil {
		return "", apierror.ToStatus(err)
	}
	return resp.GetSetId(), nil
}

// shows is what a session sees of a text, or why it sees nothing.
func (r *registering) shows(session, required, text string) string {
	values, err := r.Values(session, required)
	if err != nil {
		return apierror.ReasonName(apierror.ToStatus(err).Reason)
	}
	out, _ := redact.Text(redact.Options{Values: values}, []byte(text))
	return string(out)
}

func value(name, v string) *pb.RegisteredSecret {
	return &pb.RegisteredSecret{Name: name, Value: []byte(v)}
}

// long is a value without repetitions.
func long(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%x-", i*2654435761)
	}
	return b.String()[:n]
}

// TestBadSecretsAreRejected has the bounds of values and names. No status has a value.
func TestBadSecretsAreRejected(t *testing.T) {
	t.Parallel()
	many := make([]*pb.RegisteredSecret, maxSecrets+1)
	for i := range many {
		many[i] = value("n", fmt.Sprintf("value-%d", i))
	}
	var heavy []*pb.RegisteredSecret
	for i := range redact.MaxValueBytes/redact.MaxValue + 1 {
		heavy = append(heavy, value("n", fmt.Sprint(i)+long(redact.MaxValue-9)))
	}
	const invalid = "SECRET_INVALID"
	for name, c := range map[string]struct {
		secrets       []*pb.RegisteredSecret
		reason, field string
	}{
		"one letter":         {[]*pb.RegisteredSecret{value("good", "longenough"), value("n", "a")}, invalid, "secrets[1].value"},
		"empty":              {[]*pb.RegisteredSecret{value("n", "")}, invalid, "secrets[0].value"},
		"seven bytes":        {[]*pb.RegisteredSecret{value("n", "1q2w3e4\n")}, invalid, "secrets[0].value"},
		"16 KiB and one":     {[]*pb.RegisteredSecret{value("n", long(redact.MaxValue+1))}, invalid, "secrets[0].value"},
		"a mebibyte":         {[]*pb.RegisteredSecret{value("n", long(1<<20))}, invalid, "secrets[0].value"},
		"the same letter":    {[]*pb.RegisteredSecret{value("n", "aaaaaaaaaaaa")}, invalid, "secrets[0].value"},
		"together":           {heavy, invalid, "secrets"},
		"no name":            {[]*pb.RegisteredSecret{value("", "1q2w3e4r5t")}, "NAME_INVALID", "secrets[0].name"},
		"a bad name":         {[]*pb.RegisteredSecret{value("1q2w3e4r5t]", "1q2w3e4r5t")}, "NAME_INVALID", "secrets[0].name"},
		"a long name":        {[]*pb.RegisteredSecret{value(strings.Repeat("n", 65), "1q2w3e4r5t")}, "NAME_INVALID", "secrets[0].name"},
		"a name that is one": {[]*pb.RegisteredSecret{value("1q2w3e4r5t", "1q2w3e4r5t")}, invalid, "secrets[0].value"},
		"too many":           {many, "FIELD_OUT_OF_BOUNDS", "secrets"},
	} {
		r := newRegistering()
		id, rejected := r.set(t.Context(), "a", c.secrets...)
		if rejected == nil {
			t.Errorf("%s: taken as %q", name, id)
			continue
		}
		fields := ""
		for _, d := range rejected.Details {
			if bad, ok := d.(*errdetails.BadRequest); ok {
				fields = bad.GetFieldViolations()[0].GetField()
			}
		}
		if apierror.ReasonName(rejected.Reason) != c.reason || fields != c.field {
			t.Errorf("%s: %s of %s", name, apierror.ReasonName(rejected.Reason), fields)
		}
		all := prototext.Format(rejected.GRPCStatus().Proto())
		for _, s := range c.secrets {
			if v := s.GetValue(); len(v) > 1 && strings.Contains(all, string(v[:min(len(v), 12)])) {
				t.Errorf("%s: the status has a value: %.300s", name, all)
			}
		}
		if got := r.shows("a", "", "longenough"); got != "longenough" {
			t.Errorf("%s: some of a list that was rejected is registered", name)
		}
	}
}

// TestRegisteredSecrets replaces lists and joins those of a session with those for all.
func TestRegisteredSecrets(t *testing.T) {
	t.Parallel()
	const text = "first-value second-value third-value"
	r := newRegistering()
	must := func(session string, secrets ...*pb.RegisteredSecret) string {
		t.Helper()
		id, rejected := r.set(t.Context(), session, secrets...)
		if rejected != nil {
			t.Fatal(rejected)
		}
		return id
	}
	want := func(session, required, shown string) {
		t.Helper()
		if got := r.shows(session, required, text); got != shown {
			t.Errorf("session %q, which requires %q, sees %q, want %q", session, required, got, shown)
		}
	}
	want("a", "", text)
	ofA := must("a", value("A", "first-value"))
	want("a", ofA, "[redacted:A] second-value third-value")
	want("b", "", text)
	want("", "", text)
	want("b", ofA, "SECRETS_UNKNOWN")
	ofAll := must("", value("ALL", "second-value\n"))
	want("a", ofA, "[redacted:A] [redacted:ALL] third-value")
	want("a", ofAll, "[redacted:A] [redacted:ALL] third-value")
	want("b", ofAll, "first-value [redacted:ALL] third-value")
	want("", ofAll, "first-value [redacted:ALL] third-value")

	again := must("a", value("A", "third-value"))
	want("a", ofA, "SECRETS_UNKNOWN") // it was replaced
	want("a", again, "first-value [redacted:ALL] [redacted:A]")
	if same := must("a", value("A", "third-value")); same != again {
		t.Error("the same list has another id")
	}
	if must("b", value("A", "third-value")) == again {
		t.Error("the list of another session has the same id")
	}
	all := must("", value("NEW", "first-value"))
	want("a", all, "[redacted:NEW] second-value [redacted:A]")
	want("a", again, "[redacted:NEW] second-value [redacted:A]") // its own list is the same

	if id := must("a"); id != "" {
		t.Errorf("an empty list has the id %q, which nobody could require", id)
	}
	want("a", again, "SECRETS_UNKNOWN")
	want("a", "", "[redacted:NEW] second-value third-value")
	must("")
	want("a", "", text)
	want("b", "", "first-value second-value [redacted:A]")
	must("b")
	if r.Secrets.bytes != 0 || len(r.Secrets.sets) != 0 {
		t.Errorf("%d bytes of %d sessions are left", r.Secrets.bytes, len(r.Secrets.sets))
	}

	id := must("a", value("A", "first-value"))
	restarted := newRegistering()
	if got := restarted.shows("a", id, text); got != "SECRETS_UNKNOWN" {
		t.Errorf("a server that started again shows %q", got)
	}
	if other, _ := restarted.set(t.Context(), "a", value("A", "first-value")); other == id {
		t.Error("the id says something of the values: it is the same after a start")
	}
}

// A caller that is confined to a session registers values for that alone.
func TestConfinedCallersRegisterForTheirSession(t *testing.T) {
	t.Parallel()
	r := newRegistering()
	own := identity.NewContext(t.Context(), identity.Caller{Session: "mine"})
	if _, rejected := r.set(own, "", value("A", "first-value")); rejected != nil {
		t.Fatal(rejected)
	}
	if got := r.shows("mine", "", "first-value"); got != "[redacted:A]" {
		t.Error(got)
	}
	if got := r.shows("theirs", "", "first-value") + r.shows("", "", "first-value"); got != "first-valuefirst-value" {
		t.Errorf("it registered for others: %s", got)
	}
	if _, rejected := r.set(own, "theirs", value("A", "first-value")); rejected == nil || apierror.ReasonName(rejected.Reason) != "SESSION_MISMATCH" {
		t.Error(rejected)
	}
}

// Sessions and bytes have bounds; a list that is removed counts no more.
func TestBoundsOfRegisteredSecrets(t *testing.T) {
	t.Parallel()
	r := newRegistering()
	r.Secrets.bytes = maxRegisteredBytes - 10
	if _, rejected := r.set(t.Context(), "a", value("A", "first-value")); rejected == nil || apierror.ReasonName(rejected.Reason) != "QUOTA_SESSION" {
		t.Error(rejected)
	}
	r.Secrets.bytes = 0
	for i := range maxSecretSessions {
		r.Secrets.sets[fmt.Sprint("s", i)] = &secretSet{}
	}
	if _, rejected := r.set(t.Context(), "a", value("A", "first-value")); rejected == nil || apierror.ReasonName(rejected.Reason) != "QUOTA_SESSION" {
		t.Error(rejected)
	}
	if _, rejected := r.set(t.Context(), "s7", value("A", "first-value")); rejected != nil {
		t.Error(rejected)
	}
	if _, rejected := r.set(t.Context(), "s8"); rejected != nil {
		t.Error(rejected)
	}
	if _, rejected := r.set(t.Context(), "a", value("A", "first-value")); rejected != nil {
		t.Error(rejected)
	}
}

// TestIndexOfSecretsIsBounded: what finds values takes some forty times their bytes, and each session with values of its own has those
// for all again. That has a bound, at which smaller lists are still taken.
func TestIndexOfSecretsIsBounded(t *testing.T) {
	t.Parallel()
	s := NewSecrets()
	list := func(session string, n int) (all []redact.Secret) {
		for i := range n {
			all = append(all, redact.Secret{Name: "A", Value: fmt.Appendf(nil, "value-%s-%d-%x", session, i, sha256.Sum256(fmt.Append(nil, i)))})
		}
		return all
	}
	if _, err := s.Register("", list("all", 5000)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Register("s0", list("0", 1)); err != nil {
		t.Fatal(err)
	}
	// Others have as much each. To compile so much again takes a second for all, and ten in a race.
	each, taken := s.sets["s0"].values.Size(), 1
	for ; indexBytes(s.sets)+each <= maxIndexBytes; taken++ {
		values := *s.sets["s0"].values
		s.sets[fmt.Sprint("s", taken)] = &secretSet{list: list(fmt.Sprint(taken), 1), values: &values}
	}
	_, err := s.Register(fmt.Sprint("s", taken), list(fmt.Sprint(taken), 1))
	if why, ok := errors.AsType[*apierror.StatusError](err); !ok || apierror.ReasonName(why.Reason) != "QUOTA_SESSION" || taken < 4 {
		t.Errorf("after %d sessions: %v", taken, err)
	}
	if n := indexBytes(s.sets); n > maxIndexBytes {
		t.Errorf("the index takes %d bytes", n)
	}
	if _, err := s.Register("s0", list("again", 1)); err != nil {
		t.Errorf("another value in the place of one: %v", err)
	}
	if _, err := s.Register("", nil); err != nil {
		t.Errorf("no values for all: %v", err)
	}
	if _, err := s.Register("more", list("more", 1)); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// The same output has the same redacted bytes on every day, and redacting it again changes nothing.
func TestRedactionIsTheSameAgain(t *testing.T) {
	t.Parallel()
	out := &pb.CompleteToolOutput{SummaryText: "first-value-of-all", Error: &pb.CompleteToolError{
		Kind: "internal", Message: inlineBytes("token first-value-of-all"),
		Details: inlineBytes(`{"a":"first-value-of-all","n":1234567890123,"first-value-of-all":["ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM"]}`),
	}}
	var before *pb.CompleteToolOutput
	for range 2 {
		values, err := redact.NewValues([]redact.Secret{{Name: "A", Value: []byte("first-value-of-all")}, {Name: "N", Value: []byte("1234567890123")}})
		if err != nil {
			t.Fatal(err)
		}
		o := redact.Options{Values: values, Patterns: redact.BuiltIn()}
		r := &Pass{Options: o, found: counts{}}
		got := redacted(t, r, out, &families.Family{}, nil)
		if want := `{"a":"[redacted:A]","n":"[redacted:N]","[redacted:A]":["[redacted:github-pat]"]}`; string(got.GetError().GetDetails().GetInline()) != want {
			t.Errorf("the details are %s, want %s", got.GetError().GetDetails().GetInline(), want)
		}
		again := &Pass{Options: o, found: counts{}}
		if twice := redacted(t, again, got, &families.Family{}, nil); twice != got || len(again.found) != 0 {
			t.Errorf("redacted again it is %v", twice)
		}
		if before != nil && !bytes.Equal(before.GetError().GetDetails().GetInline(), got.GetError().GetDetails().GetInline()) {
			t.Error("it differs from one time to the next")
		}
		before = got
	}
}

// The original of a payload has the name that records have of it, also in a list.
func TestOriginalsOfLists(t *testing.T) {
	t.Parallel()
	item := func(text string) *pb.CommandBatchItemOutput {
		return &pb.CommandBatchItemOutput{Result: &pb.CommandOutput{Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}}}
	}
	const token = "ghp_7kQ2m9ZxW4vR8tY1uI5oP3aS6dF0gH7jK2lM"
	out := &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{
		Items: []*pb.CommandBatchItemOutput{item("one " + token), item("two"), item("three " + token)},
	}}}
	r := &Pass{Options: redact.Options{Patterns: redact.BuiltIn()}, found: counts{}}
	payloads := map[string]string{}
	envelope.VisitPayloads("output", redacted(t, r, out, &families.Family{}, nil).ProtoReflect(), func(field string, p *pb.Payload) {
		payloads[field] = string(p.GetInline())
	})
	if len(r.Originals) != 2 || len(payloads) != 3 {
		t.Fatalf("%d originals of %v", len(r.Originals), payloads)
	}
	for _, o := range r.Originals {
		if text, ok := payloads[o.Field]; !ok || !strings.Contains(text, "[redacted:github-pat]") {
			t.Errorf("%s is the original of %q", o.Field, text)
		}
	}
}

func inlineBytes(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}

// TestEqualListsShareTheirValues registers one list for several sessions: it is compiled once.
func TestEqualListsShareTheirValues(t *testing.T) {
	t.Parallel()
	s := NewSecrets()
	list := []redact.Secret{{Name: "db", Value: []byte("Tr0ub4dor&3xkcd")}}
	values := func(session string) *redact.Values {
		v, err := s.Values(session, "")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	register := func(session string, list []redact.Secret) {
		if _, err := s.Register(session, list); err != nil {
			t.Fatal(err)
		}
	}
	register("a", list)
	register("b", slices.Clone(list))
	if values("a") != values("b") {
		t.Error("equal lists have values of their own")
	}
	register("b", []redact.Secret{{Name: "other", Value: list[0].Value}})
	if values("a") == values("b") {
		t.Error("lists with other names share their values")
	}
	register("", []redact.Secret{{Name: "all", Value: []byte("correct-horse")}})
	register("c", list)
	if values("a") != values("c") {
		t.Error("equal lists do not share their values beside those for all")
	}
}

// TestSessionsAreSmall registers a value for each of many sessions: what a session costs is bounded.
func TestSessionsAreSmall(t *testing.T) {
	const sessions, most = 500, 12 << 10
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, s := heap(), NewSecrets()
	for i := range sessions {
		if _, err := s.Register(fmt.Sprint("s", i), []redact.Secret{{Name: "db", Value: fmt.Appendf(nil, "Tr0ub4dor&3xkcd/and/%d=of+it", i*7919)}}); err != nil {
			t.Fatal(err)
		}
	}
	if each := (heap() - before) / sessions; each > most {
		t.Errorf("a session has %d bytes, want at most %d", each, most)
	} else {
		t.Logf("a session has %d bytes", each)
	}
	runtime.KeepAlive(s)
}
