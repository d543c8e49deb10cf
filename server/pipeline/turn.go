package pipeline

import (
	"context"
	"fmt"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
)

// Bounds and defaults of turns, as service.proto states them.
const (
	maxTurnOutputs       = 64
	maxTurnTokens        = 1_000_000
	defaultFailureTokens = 1_000
)

// ProjectTurn makes the results of parallel calls within one budget. It takes the same steps as Project, each for all of
// the outputs.
func (p *Pipeline) ProjectTurn(ctx context.Context, req *pb.ProjectTurnRequest) (*pb.ProjectTurnResponse, error) {
	for _, out := range req.GetOutputs() {
		if err := confine(ctx, &out.Call, out.GetPolicy()); err != nil {
			return nil, err
		}
	}
	t, err := newTurn(p, req)
	if err != nil {
		return nil, err
	}
	defer t.close()
	for i, out := range req.GetOutputs() {
		if err := t.add(ctx, out); err != nil {
			return nil, apierror.PrefixField(outputPath(i), err)
		}
	}
	if err := t.checkVocabulary(); err != nil {
		return nil, err
	}
	request, err := t.request(ctx, req)
	if err != nil {
		return nil, err
	}
	earlier, done, err := p.requests.Begin(ctx, request)
	if err != nil {
		return nil, err
	}
	defer done()
	if len(earlier) > 0 {
		return p.formTurn(req, p.repeatTurn(ctx, earlier))
	}
	if err := t.share(ctx); err != nil {
		return nil, err
	}
	records, err := t.records(ctx)
	if err != nil {
		return nil, err
	}
	if earlier, err = p.requests.Append(ctx, request, t.puts, records...); err != nil {
		return nil, err
	}
	if len(earlier) > 0 { // another server was first
		return p.formTurn(req, p.repeatTurn(ctx, earlier))
	}
	return p.formTurn(req, t.answer(ctx))
}

// formTurn brings each result of an answer to the form that its output names.
func (p *Pipeline) formTurn(req *pb.ProjectTurnRequest, resp *pb.ProjectTurnResponse) (*pb.ProjectTurnResponse, error) {
	for i, result := range resp.GetResults() {
		if err := p.form(req.GetOutputs()[i].GetCanonicalForm(), result); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// repeatTurn returns the answer that records have, and names the last of them in the trailer.
func (p *Pipeline) repeatTurn(ctx context.Context, records []*pb.AuditRecord) *pb.ProjectTurnResponse {
	recorder.SetTrailer(ctx, records)
	resp := &pb.ProjectTurnResponse{}
	for _, r := range records {
		addResult(resp, p.recorded(r), int(r.GetBudgetTokens()))
	}
	return resp
}

// addResult adds a result that was made with a budget of some tokens to an answer.
func addResult(resp *pb.ProjectTurnResponse, result *pb.ProjectResponse, budget int) {
	resp.Results = append(resp.Results, result)
	resp.Budgets = append(resp.Budgets, uint32(budget))
	resp.Tokens += result.GetReceipt().GetTokens()
}

// outputPath returns where a request has an output.
func outputPath(i int) string { return fmt.Sprintf("outputs[%d]", i) }

// turn is the outputs that share a budget.
type turn struct {
	pipeline       *Pipeline
	total, failure int // tokens
	outputs        []turnOutput
	reading        reading // of all outputs
	puts           Transaction
}

// turnOutput is one output of a turn, with what is known of the tokens that it costs.
type turnOutput struct {
	*prepared
	made    projected
	wanted  int  // tokens of its receipt with its own budget
	minimum int  // tokens that its receipt must have
	failed  bool // its result states a failure
}

// newTurn checks the fields of a turn's request; its outputs are checked when they are added.
func newTurn(p *Pipeline, req *pb.ProjectTurnRequest) (*turn, error) {
	const bounds = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	check := envelope.NewChecker("")
	if n := len(req.GetOutputs()); n == 0 || n > maxTurnOutputs {
		check.Fail("outputs", bounds, "has %d outputs, and 1 to %d are allowed", n, maxTurnOutputs)
	}
	t := &turn{pipeline: p, failure: defaultFailureTokens, reading: reading{turn: true}, puts: p.Store.Begin()}
	if t.total = check.Bounded("total_tokens", req.GetTotalTokens(), 0, policy.MinTokens, maxTurnTokens); req.GetTotalTokens() == 0 {
		check.Fail("total_tokens", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	if req.FailureTokens != nil {
		t.failure = check.AtMost("failure_tokens", req.GetFailureTokens(), policy.MaxTokens)
	}
	check.Name("request_id", req.GetRequestId(), false)
	for i, out := range req.GetOutputs()[:min(maxTurnOutputs, len(req.GetOutputs()))] {
		if out.GetRequestId() != "" {
			check.Fail(outputPath(i)+".request_id", bounds, "is for outputs without a turn, which has one of its own")
		}
	}
	return t, check.Err()
}

// close gives back what the outputs hold.
func (t *turn) close() {
	for i := range t.outputs {
		t.outputs[i].close()
	}
	t.reading.close()
	t.puts.Discard()
}

// add prepares an output. All outputs are compared with what earlier turns showed before any of them is answered, and so
// not with each other.
func (t *turn) add(ctx context.Context, req *pb.ProjectRequest) error {
	out, err := t.pipeline.prepare(ctx, req, received{reading: &t.reading, puts: t.puts})
	if err != nil {
		return err
	}
	if t.sets(req) {
		tokens := max(out.policy.Limit, min(t.total, policy.MaxTokens))
		out.policy.Budget.Tokens, out.policy.Limit = tokens, tokens
	}
	t.outputs = append(t.outputs, turnOutput{prepared: out})
	return nil
}

// sets reports whether the turn alone sets the budget of an output: its policy names neither tokens nor a window, and the
// operator set no budget for its tool. The default of a family is for outputs whose neighbours are not known.
func (t *turn) sets(req *pb.ProjectRequest) bool {
	render := req.GetPolicy().GetRender()
	return render.GetBudget().GetMaxTokens() == 0 && render.GetWindow() == nil &&
		t.pipeline.Policies.DefaultTokens(req.GetOutput().GetToolName(), render.GetModel(), 0) == 0
}

// checkVocabulary checks that the receipts are counted in the same tokens, so that their costs add up.
func (t *turn) checkVocabulary() error {
	check := envelope.NewChecker("")
	first := t.outputs[0].policy.Counter.Name()
	for i := range t.outputs {
		if name := t.outputs[i].policy.Counter.Name(); name != first {
			check.Fail(outputPath(i)+".policy.render.token_vocabulary", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS,
				"is %s, and that of outputs[0] is %s", name, first)
		}
	}
	return check.Err()
}

// request returns the identity of the turn; nil for one without an id.
func (t *turn) request(ctx context.Context, req *pb.ProjectTurnRequest) (*recorder.Request, error) {
	if req.GetRequestId() == "" {
		return nil, nil
	}
	session, hash := "", blake3.New()
	fmt.Fprintf(hash, "%d %d", t.total, t.failure)
	for i := range t.outputs {
		o := t.outputs[i].prepared
		if session == "" {
			session = o.req.GetCall().GetSessionId()
		}
		digest, err := t.pipeline.digest(ctx, o)
		if err != nil {
			return nil, apierror.PrefixField(outputPath(i), err)
		}
		fmt.Fprintf(hash, " %s", digest)
	}
	return recorder.NewRequest(session, req.GetRequestId(), fmt.Sprintf("blake3:%x", hash.Sum(nil))), nil
}

// records returns the records of the outputs, in their order; nil for each when no audit log is kept.
func (t *turn) records(ctx context.Context) ([]*pb.AuditRecord, error) {
	var records []*pb.AuditRecord
	for i := range t.outputs {
		r, err := t.pipeline.record(ctx, t.outputs[i].prepared, t.outputs[i].made)
		if err != nil {
			return nil, apierror.PrefixField(outputPath(i), err)
		}
		if r != nil {
			r.Part, r.Parts = uint32(i+1), uint32(len(t.outputs))
		}
		records = append(records, r)
	}
	return records, nil
}

// answer returns the answer, from which on the outputs are known to their sessions.
func (t *turn) answer(ctx context.Context) *pb.ProjectTurnResponse {
	resp := &pb.ProjectTurnResponse{}
	for i := range t.outputs {
		o := &t.outputs[i]
		addResult(resp, t.pipeline.answer(ctx, o.prepared, o.made), o.made.budget)
	}
	return resp
}
