package main

// Reading, compacting and printing a session.
//
// A session is JSON values one after the other, oldest first. A value is the RFC's JSON of a canonical result, or an object
// that project, exec and compact print with --output=json: with "canonical", "receipt", and members that identify the call.
// Members that this program does not know are printed as they were read, so that the output can be compacted again.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// compactInput has the results of a session as they were read: as entries of a request, and the members of each value, which
// are printed again for the results that do not change.
type compactInput struct {
	req    *pb.CompactRequest
	values []map[string]json.RawMessage // members of each JSON value; nil for textproto
}

// Members of a JSON value that are its result.
const (
	canonicalMember = "canonical"
	receiptMember   = "receipt"
)

// readResults reads the results of a session: JSON values one after the other, or the textproto of one CanonicalToolResult
// or of a CompactRequest.
func (c *rpcFlags) readResults(r io.Reader) (*compactInput, error) {
	switch c.input {
	case "json":
		return c.readResultsJSON(r)
	case "textproto":
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		// Both messages are textproto without a name. The fields of one are unknown to the other, so the first that fits is it.
		var one pb.CanonicalToolResult
		if prototext.Unmarshal(text, &one) == nil {
			return &compactInput{req: &pb.CompactRequest{Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: &one}}}}}, nil
		}
		req := &pb.CompactRequest{}
		return &compactInput{req: req}, prototext.Unmarshal(text, req)
	}
	return nil, fmt.Errorf("--input %s: json or textproto", c.input)
}

// entry has the members of a JSON value that identify the call of a result. The RFC's JSON of a canonical result alone has
// none of them.
type entry struct {
	Family          string `json:"family"`           // of the result; empty: --family, or found from its fields
	CallID          string `json:"call_id"`          // without canonical, the result on record of this call
	Turn            uint32 `json:"turn"`             // 0: each result is a turn of its own
	Subject         string `json:"subject"`          // what the call asked for; empty: what the result states
	PrecedingTokens uint32 `json:"preceding_tokens"` // of the prompt, between the result before and this one
}

// readResultsJSON reads JSON values. A value without canonical and call_id is a canonical result. It is passed on as text:
// the sidecar reads the RFC's JSON, knows custom families, and names the field that is wrong.
func (c *rpcFlags) readResultsJSON(r io.Reader) (*compactInput, error) {
	s := &compactInput{req: &pb.CompactRequest{}}
	for dec := json.NewDecoder(r); dec.More(); {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		var e entry
		var members map[string]json.RawMessage
		_ = json.Unmarshal(value, &members) // the server says what is wrong with a result
		if !repeatsMember(value) && (members[canonicalMember] != nil || members["call_id"] != nil) {
			if err := json.Unmarshal(value, &e); err != nil {
				return nil, fmt.Errorf("result %d: %w", len(s.values), err)
			}
		} else {
			members = map[string]json.RawMessage{canonicalMember: value}
		}
		one := &pb.CompactEntry{
			CallId: e.CallID, Turn: e.Turn, Subject: e.Subject, PrecedingTokens: e.PrecedingTokens, Family: cmp.Or(e.Family, c.family),
		}
		if text := members[canonicalMember]; text != nil {
			one.Result = &pb.CompactEntry_CanonicalJson{CanonicalJson: strings.ToValidUTF8(string(text), "\ufffd")} // as JSON reads it
		}
		s.req.Entries, s.values = append(s.req.Entries, one), append(s.values, members)
	}
	return s, nil
}

// repeatsMember reports whether an object has a member twice, of which only one would be read. Such a value is no result that the
// sidecar knows, and stays as it is.
func repeatsMember(object json.RawMessage) bool {
	dec := json.NewDecoder(bytes.NewReader(object))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	seen := map[any]bool{}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil || seen[name] {
			return err == nil && seen[name]
		}
		seen[name] = true
	}
	return false
}

// toolName returns the tool of a result; empty if the result is on record alone, or is no canonical result.
func (s *compactInput) toolName(i int) string {
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

// print prints a session after its compaction: results that did not change as they were read, so that the output can be
// compacted again.
func (s *compactInput) print(ctx context.Context, w io.Writer, conn *connection, form string, resp *pb.CompactResponse) error {
	if form != "json" && form != "receipt" {
		return printMessage(w, form, "", resp)
	}
	changed := resp.GetResults() // in the order of the entries
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

// printValue prints the JSON value of result i with all members that it was read with, in one order, so that the same
// session always has the same bytes. r is the result after the compaction;
// nil: it did not change.
func (s *compactInput) printValue(w io.Writer, i int, r *pb.CompactedResult) error {
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
		return cmp.Or(cmp.Compare(memberRank(a), memberRank(b)), cmp.Compare(a, b))
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

// memberRank orders members: canonical, receipt, then all others. Index is -1 for the others, which the sum moves to 2.
func memberRank(name string) int {
	return (slices.Index([]string{canonicalMember, receiptMember}, name) + 3) % 3
}

// members returns the members of the JSON value of result i, as it was read. Results that were read as textproto get the
// members that JSON would have had.
func (s *compactInput) members(i int) (map[string]json.RawMessage, error) {
	if s.values != nil {
		return maps.Clone(s.values[i]), nil
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

// maxReceipt is the largest budget of a receipt that a sidecar accepts, in tokens (docs/reference/limits.md). Receipts of a
// compaction have no limit of their own, because the plan has one for all of them.
const maxReceipt = 200_000

// receipt returns the text of the receipt of result i. If it did not change (r is nil), that is the receipt that was read or,
// if none was, a new one.
func (s *compactInput) receipt(ctx context.Context, conn *connection, i int, r *pb.CompactedResult, planned *pb.PlannedResult) (string, error) {
	if r != nil {
		return r.GetReceipt().GetText(), nil
	}
	var given struct{ Text string }
	if s.values != nil && json.Unmarshal(s.values[i][receiptMember], &given) == nil && given.Text != "" {
		return given.Text, nil
	}
	if planned.GetHold() == pb.ResultHold_RESULT_HOLD_UNKNOWN {
		return "", fmt.Errorf("result %d is not known to this version, and came without its receipt; --output=json prints it as it is", i)
	}
	// A result that was read without its receipt gets one of the policy that the others have.
	policy := &pb.RenderPolicy{}
	proto.Merge(policy, s.req.GetPolicy().GetRender())
	if policy.GetBudget().GetMaxTokens() == 0 { // no limit, which only a compaction may have
		proto.Merge(policy, &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: maxReceipt}})
	}
	resp, err := conn.Render(ctx, renderRequest(s.req, i, policy))
	return resp.GetReceipt().GetText(), err
}

// renderRequest returns the request for the receipt of result i: of the result that was read or, if it was named by its call
// alone, of the one on record.
func renderRequest(req *pb.CompactRequest, i int, policy *pb.RenderPolicy) *pb.RenderRequest {
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
