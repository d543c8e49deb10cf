package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/recorder"
)

// Bounds and defaults of turns, as service.proto states them.
const (
	maxTurnOutputs       = 64
	maxTurnTokens        = 1_000_000
	defaultFailureTokens = 1_000
)

// ProjectTurn projects the outputs of parallel calls within one budget.
func (s *service) ProjectTurn(ctx context.Context, req *pb.ProjectTurnRequest) (*pb.ProjectTurnResponse, error) {
	for _, out := range req.GetOutputs() {
		if err := identity.ConfineCall(ctx, &out.Call); err != nil {
			return nil, err
		}
	}
	t, err := newTurn(req)
	if err != nil {
		return nil, err
	}
	defer t.close()
	for i, out := range req.GetOutputs() {
		if err := t.add(ctx, s, out); err != nil {
			return nil, apierror.PrefixField(outputAt(i), err)
		}
	}
	if err := t.sameVocabulary(); err != nil {
		return nil, err
	}
	request := t.request(req)
	earlier, done, err := s.requests.Begin(ctx, request)
	if err != nil {
		return nil, err
	}
	defer done()
	if len(earlier) == 0 {
		if err := t.share(ctx); err != nil {
			return nil, err
		}
		records, err := t.records(ctx)
		if err != nil {
			return nil, err
		}
		if earlier, err = s.requests.Append(ctx, request, records...); err != nil {
			return nil, err
		}
		if len(earlier) == 0 {
			return s.formTurn(req, t.answer(ctx))
		}
	}
	recorder.SetTrailer(ctx, earlier)
	return s.formTurn(req, s.repeatedTurn(earlier))
}

// formTurn brings each result of an answer to the form that its output names.
func (s *service) formTurn(req *pb.ProjectTurnRequest, resp *pb.ProjectTurnResponse) (*pb.ProjectTurnResponse, error) {
	for i, result := range resp.GetResults() {
		if err := s.form(req.GetOutputs()[i].GetCanonicalForm(), result); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// answer is the answer, from which on the outputs are known.
func (t *turn) answer(ctx context.Context) *pb.ProjectTurnResponse {
	resp := &pb.ProjectTurnResponse{}
	for i := range t.outputs {
		o := &t.outputs[i]
		o.answered(o.resp)
		o.tell(ctx, o.resp)
		addResult(resp, o.asked(o.req.GetPolicy(), o.resp), o.budget)
	}
	return resp
}

func addResult(resp *pb.ProjectTurnResponse, result *pb.ProjectResponse, budget int) {
	resp.Results = append(resp.Results, result)
	resp.Budgets = append(resp.Budgets, uint32(budget))
	resp.Tokens += result.GetReceipt().GetTokens()
}

// request is the request that the turn is, if it has an id.
func (t *turn) request(req *pb.ProjectTurnRequest) *recorder.Request {
	session, hash := "", blake3.New()
	fmt.Fprintf(hash, "%d %d", t.total, t.failure)
	for i := range t.outputs {
		if session == "" {
			session = t.outputs[i].req.GetCall().GetSessionId()
		}
		fmt.Fprintf(hash, " %s", t.outputs[i].digest)
	}
	return recorder.NewRequest(session, req.GetRequestId(), fmt.Sprintf("blake3:%x", hash.Sum(nil)))
}

// records are those of the outputs, in their order.
func (t *turn) records(ctx context.Context) ([]*pb.AuditRecord, error) {
	var records []*pb.AuditRecord
	for i := range t.outputs {
		o := &t.outputs[i]
		r, err := o.record(ctx, o.resp, o.budget)
		if err != nil {
			return nil, apierror.PrefixField(outputAt(i), err)
		}
		if r != nil {
			r.Part, r.Parts = uint32(i+1), uint32(len(t.outputs))
		}
		records = append(records, r)
	}
	return records, nil
}

// repeatedTurn is the answer that records have.
func (s *service) repeatedTurn(records []*pb.AuditRecord) *pb.ProjectTurnResponse {
	resp := &pb.ProjectTurnResponse{}
	for _, r := range records {
		addResult(resp, s.repeated(r), int(r.GetBudgetTokens()))
	}
	return resp
}

func outputAt(i int) string { return fmt.Sprintf("outputs[%d]", i) }

// turn is the outputs that share a budget.
type turn struct {
	total, failure int // tokens
	outputs        []turnOutput
}

// turnOutput is one of them.
type turnOutput struct {
	*projection
	resp   *pb.ProjectResponse
	budget int  // tokens that resp was projected with
	wants  int  // that its receipt has with these
	least  int  // that it must have
	failed bool // it tells of a failure
}

func newTurn(req *pb.ProjectTurnRequest) (*turn, error) {
	const bounds = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	check := envelope.NewChecker("")
	if n := len(req.GetOutputs()); n == 0 || n > maxTurnOutputs {
		check.Fail("outputs", bounds, "has %d outputs, and 1 to %d are allowed", n, maxTurnOutputs)
	}
	t := &turn{failure: defaultFailureTokens}
	if t.total = check.Bounded("total_tokens", req.GetTotalTokens(), 0, minTokens, maxTurnTokens); req.GetTotalTokens() == 0 {
		check.Fail("total_tokens", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	if req.FailureTokens != nil {
		t.failure = check.AtMost("failure_tokens", req.GetFailureTokens(), maxTokens)
	}
	check.Name("request_id", req.GetRequestId(), false)
	for i, out := range req.GetOutputs()[:min(maxTurnOutputs, len(req.GetOutputs()))] {
		if out.GetRequestId() != "" {
			check.Fail(outputAt(i)+".request_id", bounds, "is for outputs without a turn, which has one of its own")
		}
	}
	return t, check.Err()
}

func (t *turn) close() {
	for i := range t.outputs {
		t.outputs[i].close()
	}
}

// add prepares an output. All are compared with what earlier turns wrote before any of
// them is answered, and so not with each other.
func (t *turn) add(ctx context.Context, s *service, req *pb.ProjectRequest) error {
	p, err := s.prepare(ctx, req, received{})
	if err == nil {
		t.outputs = append(t.outputs, turnOutput{projection: p})
	}
	return err
}

// sameVocabulary checks that what the receipts cost can be added up.
func (t *turn) sameVocabulary() error {
	check := envelope.NewChecker("")
	first := t.outputs[0].in.Policy.Counter.Name()
	for i := range t.outputs {
		if name := t.outputs[i].in.Policy.Counter.Name(); name != first {
			check.Fail(outputAt(i)+".policy.render.token_vocabulary", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS,
				"is %s, and that of outputs[0] is %s", name, first)
		}
	}
	return check.Err()
}

// share projects every output with its own budget and, if that is too much for all of
// them, those that want more than their share again with that.
func (t *turn) share(ctx context.Context) error {
	for i := range t.outputs {
		o := &t.outputs[i]
		var err error
		if o.resp, o.budget, err = o.withinOwn(ctx); err != nil {
			return apierror.PrefixField(outputAt(i), err)
		}
		o.wants = int(o.resp.GetReceipt().GetTokens())
		o.least = min(o.wants, minTokens)
		o.failed = o.compactor.Failed(o.resp.GetCanonical())
	}
	t.keepPages()
	for {
		shares, short := t.shares()
		if short != nil {
			return t.shortfall(ctx)
		}
		if again, err := t.fit(ctx, shares); err != nil || !again {
			return err
		}
	}
}

// keepPages has pages of read_result whole, if the budget allows for that: what was read back is not to be cut again.
func (t *turn) keepPages() {
	rest := t.total
	for i := range t.outputs {
		if o := &t.outputs[i]; o.isPage() {
			rest -= o.wants
		} else {
			rest -= o.least
		}
	}
	for i := range t.outputs {
		if o := &t.outputs[i]; rest >= 0 && o.isPage() {
			o.least = o.wants
		}
	}
}

func (o *turnOutput) isPage() bool { return o.output.GetToolName() == envelope.ReadTool }

// shortfall is the error for outputs whose smallest receipts are more than the budget,
// all of them.
func (t *turn) shortfall(ctx context.Context) error {
	least := make([]int, len(t.outputs))
	for again := true; again; {
		for i := range t.outputs {
			least[i] = t.outputs[i].least
		}
		var err error
		if again, err = t.fit(ctx, least); err != nil {
			return err
		}
	}
	_, short := t.shares()
	return apierror.AtField("total_tokens", short)
}

// fit projects the outputs that want more than their shares with these. It reports true
// when some need more than that, which is known now.
func (t *turn) fit(ctx context.Context, shares []int) (again bool, err error) {
	for i, n := range shares {
		o := &t.outputs[i]
		if n >= o.wants || n == o.budget {
			continue
		}
		err := o.project(ctx, n)
		if short, ok := errors.AsType[*envelope.ShortfallError](err); ok {
			o.least, again = min(o.wants, o.smallest(ctx, n, short)), true
			continue
		}
		if err != nil {
			return false, apierror.PrefixField(outputAt(i), err)
		}
	}
	return again, nil
}

// smallest is what the output needs that falls short of a share. The smallest budget says it, not the share, since what an
// error asks for differs with the budget, and an output must have the same in every division. One that falls short of
// lines or bytes, of which a cut can need more, has what it wants.
func (o *turnOutput) smallest(ctx context.Context, share int, short *envelope.ShortfallError) int {
	_, err := o.within(ctx, minTokens)
	if least, ok := errors.AsType[*envelope.ShortfallError](err); ok && least.Unit == "tokens" && least.Needed > share {
		return least.Needed
	}
	if short.Unit != "tokens" {
		return o.wants
	}
	return short.Needed
}

// project projects the output with a budget.
func (o *turnOutput) project(ctx context.Context, tokens int) error {
	resp, err := o.within(ctx, tokens)
	if err == nil {
		o.resp, o.budget = resp, tokens
	}
	return err
}

// shares are what the outputs may cost: first what each must have, then failures up to
// theirs, then all of them alike, up to what each wants. The order of the outputs is of
// no effect, and so a rest that cannot be shared evenly is left.
func (t *turn) shares() ([]int, *envelope.ShortfallError) {
	shares, limits := make([]int, len(t.outputs)), make([]int, len(t.outputs))
	rest := t.total
	for i := range t.outputs {
		o := &t.outputs[i]
		shares[i], limits[i] = o.least, o.least
		if o.failed {
			limits[i] = max(o.least, min(o.wants, t.failure))
		}
		rest -= o.least
	}
	if rest < 0 {
		return nil, &envelope.ShortfallError{Unit: "tokens", Needed: t.total - rest, Budget: t.total}
	}
	rest = pour(rest, shares, limits)
	for i := range t.outputs {
		limits[i] = t.outputs[i].wants
	}
	pour(rest, shares, limits)
	return shares, nil
}

// pour raises shares to one level, as high as the rest suffices, but none above its
// limit, and returns what is left: max-min fair shares.
func pour(rest int, shares, limits []int) int {
	cost := func(level int) (n int) {
		for i := range shares {
			n += max(shares[i], min(level, limits[i])) - shares[i]
		}
		return n
	}
	// The level is found between one that costs no more than there is and one that does.
	low, high := 0, slices.Max(limits)+1
	for high-low > 1 {
		if level := (low + high) / 2; cost(level) <= rest {
			low = level
		} else {
			high = level
		}
	}
	rest -= cost(low)
	for i := range shares {
		shares[i] = max(shares[i], min(low, limits[i]))
	}
	return rest
}
