package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// session is the results of a session as they came on stdin.
type session struct {
	req   *pb.CompactRequest
	given []map[string]json.RawMessage // members of each JSON value; nil for textproto
}

// The members of a JSON value of a session that are its results.
const (
	canonicalMember = "canonical"
	receiptMember   = "receipt"
)

// session reads canonical results and what is known of their calls: JSON values one
// after the other, or textproto of one CanonicalToolResult or of a CompactRequest.
func (c *call) session(r io.Reader) (*session, error) {
	switch c.input {
	case "json":
		return c.sessionJSON(r)
	case "textproto":
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		var one pb.CanonicalToolResult
		if prototext.Unmarshal(text, &one) == nil {
			return &session{req: &pb.CompactRequest{Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: &one}}}}}, nil
		}
		req := &pb.CompactRequest{}
		return &session{req: req}, prototext.Unmarshal(text, req)
	}
	return nil, fmt.Errorf("--input %s: json or textproto", c.input)
}

// entry is what a runtime knows of a call, beside its result in one JSON value of a
// session: what project, exec and compact print with --output=json. The RFC's JSON of a
// canonical result alone has none of these members.
type entry struct {
	Family          string `json:"family"`
	CallID          string `json:"call_id"`
	Turn            uint32 `json:"turn"`
	Subject         string `json:"subject"`
	PrecedingTokens uint32 `json:"preceding_tokens"`
}

func (c *call) sessionJSON(r io.Reader) (*session, error) {
	s := &session{req: &pb.CompactRequest{}}
	for dec := json.NewDecoder(r); dec.More(); {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		var e entry
		var members map[string]json.RawMessage
		_ = json.Unmarshal(value, &members) // the server says what is wrong with a result
		if members[canonicalMember] != nil || members["call_id"] != nil {
			if err := json.Unmarshal(value, &e); err != nil {
				return nil, fmt.Errorf("result %d: %w", len(s.given), err)
			}
		} else {
			members = map[string]json.RawMessage{canonicalMember: value}
		}
		one := &pb.CompactEntry{
			CallId: e.CallID, Turn: e.Turn, Subject: e.Subject, PrecedingTokens: e.PrecedingTokens, Family: cmp.Or(e.Family, c.family),
		}
		if text := members[canonicalMember]; text != nil {
			one.Result = &pb.CompactEntry_CanonicalJson{CanonicalJson: string(text)}
		}
		s.req.Entries, s.given = append(s.req.Entries, one), append(s.given, members)
	}
	return s, nil
}

// tool is the tool of a result; empty when it is on record alone.
func (s *session) tool(i int) string {
	e := s.req.GetEntries()[i]
	if e.GetCanonical() != nil {
		return e.GetCanonical().GetToolName()
	}
	var envelope struct {
		ToolName string `json:"tool_name"`
	}
	_ = json.Unmarshal([]byte(e.GetCanonicalJson()), &envelope) // the server says what is wrong with it
	return envelope.ToolName
}

// compactSession compacts a session of any length, and returns the answer as Compact has it.
func compactSession(ctx context.Context, conn *connection, req *pb.CompactRequest) (*pb.CompactResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := conn.CompactStream(ctx)
	if err != nil {
		return nil, err
	}
	header := &pb.CompactHeader{Policy: req.GetPolicy(), SessionId: req.GetSessionId(), DryRun: req.GetDryRun(), CanonicalForm: req.GetCanonicalForm()}
	err = stream.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Header{Header: header}})
	for i := 0; err == nil && i < len(req.GetEntries()); i++ {
		err = stream.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: req.GetEntries()[i]}})
	}
	if err != nil && !errors.Is(err, io.EOF) { // then Recv says why
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var planned []*pb.PlannedResult
	var results []*pb.CompactedResult
	for {
		answer, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		switch m := answer.GetAnswer().(type) {
		case *pb.CompactStreamResponse_Planned:
			planned = append(planned, m.Planned)
		case *pb.CompactStreamResponse_Result:
			results = append(results, m.Result)
		case *pb.CompactStreamResponse_Summary:
			m.Summary.Results, m.Summary.GetPlan().Results = results, planned
			return m.Summary, nil
		}
	}
}

// print prints a session after its compaction, so that it can be compacted again: what did
// not change as it was given.
func (s *session) print(ctx context.Context, w io.Writer, conn *connection, form string, resp *pb.CompactResponse) error {
	if form != "json" && form != "receipt" {
		return printMessage(w, form, "", resp)
	}
	changed := resp.GetResults()
	for i := range s.req.GetEntries() {
		var r *pb.CompactedResult
		if len(changed) > 0 && int(changed[0].GetIndex()) == i {
			r, changed = changed[0], changed[1:]
		}
		if form == "json" {
			if err := s.printValue(w, i, r); err != nil {
				return err
			}
			continue
		}
		text, err := s.receipt(ctx, conn, i, r, resp.GetPlan().GetResults()[i])
		if err != nil {
			return err
		}
		if i > 0 {
			text = "\n" + text
		}
		if err := writeln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// printValue prints the JSON value of a result, which is nil when it did not change: with
// all members that it was given with.
func (s *session) printValue(w io.Writer, i int, r *pb.CompactedResult) error {
	members, err := s.members(i)
	if err != nil {
		return err
	}
	if r != nil {
		receipt, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(r.GetReceipt())
		if err != nil {
			return err
		}
		members[canonicalMember], members[receiptMember] = json.RawMessage(r.GetCanonicalJson()), receipt
	}
	names := slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	text := []byte("{")
	for n, name := range names {
		if n > 0 {
			text = append(text, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text = append(append(append(text, key...), ':'), members[name]...)
	}
	return printIndented(w, append(text, '}'))
}

// place is where a member stands.
func place(name string) int {
	return (slices.Index([]string{canonicalMember, receiptMember}, name) + 3) % 3
}

// members are those of the JSON value of a result as it was given.
func (s *session) members(i int) (map[string]json.RawMessage, error) {
	if s.given != nil {
		return maps.Clone(s.given[i]), nil
	}
	e := s.req.GetEntries()[i]
	known, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(&pb.CompactEntry{
		Family: e.GetFamily(), CallId: e.GetCallId(), Turn: e.GetTurn(), Subject: e.GetSubject(), PrecedingTokens: e.GetPrecedingTokens(),
	})
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(known, &members); err != nil {
		return nil, err
	}
	switch given := e.GetResult().(type) {
	case *pb.CompactEntry_Canonical:
		members[canonicalMember], err = envelope.ToJSON(given.Canonical)
	case *pb.CompactEntry_CanonicalJson:
		members[canonicalMember] = json.RawMessage(given.CanonicalJson)
	}
	return members, err
}

// maxReceipt is the largest budget of a receipt, in tokens.
const maxReceipt = 200_000

// receipt is that of a result, which is nil when it did not change: then it is the one
// that was given or, where none was, made now.
func (s *session) receipt(ctx context.Context, conn *connection, i int, r *pb.CompactedResult, planned *pb.PlannedResult) (string, error) {
	if r != nil {
		return r.GetReceipt().GetText(), nil
	}
	var given struct{ Text string }
	if s.given != nil && json.Unmarshal(s.given[i][receiptMember], &given) == nil && given.Text != "" {
		return given.Text, nil
	}
	if planned.GetHold() == pb.ResultHold_RESULT_HOLD_UNKNOWN {
		return "", fmt.Errorf("result %d is not known to this version, and came without its receipt; --output=json prints it as it is", i)
	}
	policy := &pb.RenderPolicy{}
	proto.Merge(policy, s.req.GetPolicy().GetRender())
	if policy.GetBudget().GetMaxTokens() == 0 { // which is no limit in a compaction
		proto.Merge(policy, &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: maxReceipt}})
	}
	resp, err := conn.Render(ctx, renderOf(s.req, i, policy))
	return resp.GetReceipt().GetText(), err
}

// renderOf is a request for the receipt of a result.
func renderOf(req *pb.CompactRequest, i int, policy *pb.RenderPolicy) *pb.RenderRequest {
	e := req.GetEntries()[i]
	r := &pb.RenderRequest{Policy: policy, Family: e.GetFamily()}
	switch given := e.GetResult().(type) {
	case *pb.CompactEntry_Canonical:
		r.Result = &pb.RenderRequest_Canonical{Canonical: given.Canonical}
	case *pb.CompactEntry_CanonicalJson:
		r.Result = &pb.RenderRequest_CanonicalJson{CanonicalJson: given.CanonicalJson}
	default:
		r.Call = &pb.CallReference{SessionId: req.GetSessionId(), CallId: e.GetCallId()}
	}
	return r
}
