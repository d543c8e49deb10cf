package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// readSession reads a session as a command does.
func readSession(t testing.TB, form, text string) *compactInput {
	t.Helper()
	s, err := (&rpcFlags{input: form, family: "command"}).readResults(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSessionsAreReadInTheirForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		form, text string
		entries    []*pb.CompactEntry // without their results
		tools      string
	}{
		{"json", "", nil, ""},
		{"json", `{"tool_name":"Bash"}`, []*pb.CompactEntry{{Family: "command"}}, "Bash"},
		{"json", `{"canonical":{"tool_name":"Read"},"call_id":"c1","turn":2,"subject":"a.go","preceding_tokens":9,"family":"file_read"} {"call_id":"c2"}`,
			[]*pb.CompactEntry{{CallId: "c1", Turn: 2, Subject: "a.go", PrecedingTokens: 9, Family: "file_read"}, {CallId: "c2", Family: "command"}}, "Read,"},
		{"textproto", `tool_name: "Bash"`, []*pb.CompactEntry{{}}, "Bash"},
		{"textproto", `entries { call_id: "c1" canonical { tool_name: "Read" } } entries { call_id: "c2" }`, []*pb.CompactEntry{{CallId: "c1"}, {CallId: "c2"}}, "Read,"},
	} {
		s := readSession(t, c.form, c.text)
		if len(s.req.GetEntries()) != len(c.entries) {
			t.Fatalf("%s: %d entries", c.text, len(s.req.GetEntries()))
		}
		var tools []string
		for i, e := range s.req.GetEntries() {
			w := c.entries[i]
			if e.GetCallId() != w.GetCallId() || e.GetTurn() != w.GetTurn() || e.GetSubject() != w.GetSubject() || e.GetPrecedingTokens() != w.GetPrecedingTokens() ||
				e.GetFamily() != w.GetFamily() {
				t.Errorf("%s: entry %d is %v", c.text, i, e)
			}
			tools = append(tools, s.toolName(i))
		}
		if got := strings.Join(tools, ","); got != c.tools {
			t.Errorf("%s: tools %q", c.text, got)
		}
	}
	if _, err := (&rpcFlags{input: "textproto"}).readResults(iotest.ErrReader(errFull)); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := (&rpcFlags{input: "json"}).read(iotest.ErrReader(errFull), nil); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

// A value keeps the members that this program does not know, and has the same order each time.
func TestValuesArePrintedWithTheirMembers(t *testing.T) {
	t.Parallel()
	s := readSession(t, "json", `{"zeta": [1, 2], "call_id": "c1", "receipt": {"text": "old"}, "canonical": {"tool_name": "x"}}`)
	squeeze := func(text string) string { return strings.Join(strings.Fields(text), "") }
	var out bytes.Buffer
	if err := s.printValue(&out, 0, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := squeeze(out.String()), `{"canonical":{"tool_name":"x"},"receipt":{"text":"old"},"call_id":"c1","zeta":[1,2]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	out.Reset()
	if err := s.printValue(&out, 0, &pb.CompactedResult{CanonicalJson: `{"tool_name":"y"}`, Receipt: &pb.Receipt{Text: "new"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := squeeze(out.String()), `{"canonical":{"tool_name":"y"},"receipt":{"text":"new"},"call_id":"c1","zeta":[1,2]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := squeeze(string(s.values[0][canonicalMember])); text != `{"tool_name":"x"}` {
		t.Errorf("the input was changed to %s", text)
	}
	if err := s.printValue(&fullWriter{}, 0, nil); !errors.Is(err, errFull) {
		t.Error(err)
	}
	fromProto := readSession(t, "textproto", `entries { call_id: "c1" turn: 3 canonical_json: "{\"tool_name\":\"x\"}" }`)
	out.Reset()
	if err := fromProto.printValue(&out, 0, nil); err != nil || squeeze(out.String()) != `{"canonical":{"tool_name":"x"},"call_id":"c1","turn":3}` {
		t.Errorf("%s, %v", &out, err)
	}
}

// The receipt of a result that did not change is the one that was read; without one, a result that is not known has none.
func TestReceiptsOfASession(t *testing.T) {
	t.Parallel()
	s := readSession(t, "json", `{"canonical": {}, "receipt": {"text": "as it was"}} {"canonical": {}} {"canonical": {}, "receipt": {"text": ""}}`)
	unknown := &pb.PlannedResult{Hold: pb.ResultHold_RESULT_HOLD_UNKNOWN}
	for i, want := range []string{"as it was", "result 1 is not known", "result 2 is not known"} {
		got, err := s.receipt(t.Context(), nil, i, nil, unknown)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("result %d: %q", i, got)
		}
	}
	if got, err := s.receipt(t.Context(), nil, 0, &pb.CompactedResult{Receipt: &pb.Receipt{Text: "compacted"}}, unknown); got != "compacted" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	named := renderRequest(&pb.CompactRequest{SessionId: "s", Entries: []*pb.CompactEntry{{CallId: "c", Family: "f"}}}, 0, nil)
	if named.GetCall().GetSessionId() != "s" || named.GetCall().GetCallId() != "c" || named.GetFamily() != "f" || named.GetResult() != nil {
		t.Errorf("%v", named)
	}
}

// TestDamagedValuesStayAsTheyAre compacts a session with a value that is not UTF-8 and one that has a member twice: the others are
// compacted, and all of these is printed.
func TestDamagedValuesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	whole := toolresult(t, "", "exec", "--output", "json", "--", "seq", "1", "5000").want(0, `"canonical"`).out
	for name, odd := range map[string]string{
		"a byte":           "{\"tool_name\":\"D\",\"status\":\"success\",\"summary_text\":\"\xff\",\"result\":{\"orbit\":1},\"error\":null}",
		"a member twice":   `{"canonical":{"first":1},"canonical":{"second":2}}`,
		"a call_id twice":  `{"call_id":"a","call_id":"b","canonical":{"first":1}}`,
		"no object at all": `"text"`,
	} {
		o := toolresult(t, whole+odd+"\n", "compact", "--output", "json", "--level", "line")
		o.want(0, `"compaction_level": "line"`)
		if flat := strings.Join(strings.Fields(o.out), ""); !strings.Contains(flat, odd) {
			t.Errorf("%s: it is not as it was:\n%s", name, o.out)
		}
	}
}
