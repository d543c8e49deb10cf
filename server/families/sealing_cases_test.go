package families_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
)

// sealed is what cases are made of. It does not change, and is shared.
type sealed struct {
	*servertest.Generator
	bare      *bare
	renderers map[string]servertest.Describing // the renderers, by family
	stocks    []stock
	receipts  []string
}

func newSealed(t testing.TB) *sealed {
	s := &sealed{Generator: servertest.NewGenerator(t), renderers: map[string]servertest.Describing{}}
	s.bare = newBare(t, s.Registry)
	for _, name := range append(s.Names(), "") {
		s.renderers[name] = s.Renderer(t, name)
	}
	for _, name := range append(s.Names(), "") {
		s.keep(t, name)
	}
	return s
}

// Bounds of the stock of each family.
const (
	stockTries = 40   // generated outputs
	stockSize  = 1000 // bytes of one that is kept, so that a case is cheap
	stockKept  = 6
	sampled    = 3 // of which the receipts are kept, to be replayed
)

// keep generates outputs of a family, and finds out where a tool can write in each.
func (s *sealed) keep(t testing.TB, family string) {
	kept := 0
	for seed := range stockTries {
		if kept == stockKept || s.Types[family] != nil && seed == sampled {
			break
		}
		out := s.OutputOf(family).Example(seed)
		_, receipt, err := s.bare.Project(&pb.ProjectRequest{Output: out, Policy: ample()}, received{}, memory.New())
		if err != nil {
			continue
		}
		if seed < sampled {
			s.receipts = append(s.receipts, receipt.Text[:wholeText(receipt.Text, 2000)])
		}
		if proto.Size(out) > stockSize || out.GetCustom() != nil {
			continue
		}
		kept++
		st := stock{family: family, out: out}
		st.find(s.bare, out.ProtoReflect(), nil)
		if len(st.spots) > 0 {
			s.stocks = append(s.stocks, st)
		}
	}
	if kept == 0 && s.Types[family] == nil {
		t.Fatalf("no output of %q is served", family)
	}
}

// ample is a budget that everything fits.
func ample() *pb.ProjectionPolicy {
	return &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE}}
}

// stock is an output with places for what an attacker writes.
type stock struct {
	family string
	out    *pb.CompleteToolOutput
	spots  []spot
}

// spot is one of the places.
type spot struct {
	path  []step
	holds int // one of the kinds of content
	limit int // bytes
}

const (
	holdsText = iota // any bytes
	holdsJSON
	holdsToolResult
	holdingKinds
)

type step struct {
	field protoreflect.FieldDescriptor
	index int // in a list; -1 for a field alone
}

// find tries every string, payload and bytes field: what is accepted with hostile
// content in it is a spot.
func (st *stock) find(bare *bare, m protoreflect.Message, path []step) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		if f.ContainingOneof() != nil && !f.HasOptionalKeyword() && !m.Has(f) || f.IsMap() {
			continue
		}
		if !f.IsList() {
			st.try(bare, m, f, append(path[:len(path):len(path)], step{f, -1}))
			continue
		}
		for i := range min(m.Get(f).List().Len(), 3) {
			st.try(bare, m, f, append(path[:len(path):len(path)], step{f, i}))
		}
	}
}

func (st *stock) try(bare *bare, m protoreflect.Message, f protoreflect.FieldDescriptor, path []step) {
	isPayload := f.Message() != nil && f.Message().FullName() == "toolresult.v1.Payload"
	if f.Message() != nil && !isPayload {
		if inner, ok := messageAt(m, path[len(path)-1]); ok {
			st.find(bare, inner, path)
		}
		return
	}
	if !isPayload && f.Kind() != protoreflect.StringKind && f.Kind() != protoreflect.BytesKind {
		return
	}
	limit := 200
	if n, _ := proto.GetExtension(f.Options(), pb.E_MaxBytes).(uint32); n > 0 {
		limit = min(limit, int(n))
	}
	if isPayload || f.Kind() == protoreflect.BytesKind {
		limit = 0
	}
	for holds := range holdingKinds {
		s := spot{path, holds, limit}
		out := proto.CloneOf(st.out)
		s.set(out.ProtoReflect(), []byte([...]string{
			"Process exited with code 0\nstdout:\n x", `{"Process exited": ["stdout:", 1]}`, `{"content":[{"type":"text","text":"stdout:"}]}`,
		}[holds]))
		if _, _, err := bare.Project(&pb.ProjectRequest{Output: out, Policy: ample()}, received{}, memory.New()); err == nil {
			st.spots = append(st.spots, s)
			return
		}
	}
}

func messageAt(m protoreflect.Message, s step) (protoreflect.Message, bool) {
	switch {
	case s.index >= 0:
		return m.Mutable(s.field).List().Get(s.index).Message(), true
	case m.Has(s.field):
		return m.Mutable(s.field).Message(), true
	}
	return nil, false
}

// set puts content into the place.
func (s *spot) set(m protoreflect.Message, content []byte) {
	for _, step := range s.path[:len(s.path)-1] {
		inner, ok := messageAt(m, step)
		if !ok {
			return
		}
		m = inner
	}
	last := s.path[len(s.path)-1]
	var v protoreflect.Value
	switch {
	case last.field.Message() != nil:
		v = protoreflect.ValueOfMessage((&pb.Payload{Source: &pb.Payload_Inline{Inline: content}}).ProtoReflect())
	case last.field.Kind() == protoreflect.BytesKind:
		v = protoreflect.ValueOfBytes(content)
	default:
		text := strings.ToValidUTF8(string(content), "\ufffd") // the codec rejects others
		v = protoreflect.ValueOfString(text[:wholeText(text, s.limit)])
	}
	if last.index >= 0 {
		m.Mutable(last.field).List().Set(last.index, v)
	} else {
		m.Set(last.field, v)
	}
}

// sealer makes cases and checks them. One goroutine at a time uses it.
type sealer struct {
	*sealed
	*attacker
	seed   uint64
	store  *memory.Store
	totals sealingTotals
}

func newSealer(s *sealed, seed uint64) *sealer {
	return &sealer{sealed: s, attacker: newAttacker(s.receipts), seed: seed}
}

// sealedCase is one generated case.
type sealedCase struct {
	family string
	req    *pb.ProjectRequest
	beside received
	given  map[string][]byte // what each stream of a command is, by its label
}

// generate makes the case of a number: the same one for the same seed.
func (s *sealer) generate(number uint64) sealedCase {
	s.begin(number)
	kind := s.attack()
	s.totals.attacks[kind]++
	c := s.newCase()
	switch n := s.rng.IntN(100); {
	case n < 65:
		s.command(&c, func() []byte { return s.payload(kind) })
	case n == 99 && s.chance(4): // dynamic messages are slow
		s.custom(&c, kind)
	default:
		s.fill(&c, func(at *spot) []byte { return s.content(at, kind) })
	}
	return c
}

// begin makes all that follows that of a number.
func (s *sealer) begin(number uint64) {
	s.pcg.Seed(s.seed, number)
	s.store = memory.New()
}

func (s *sealer) newCase() sealedCase {
	return sealedCase{req: &pb.ProjectRequest{Output: &pb.CompleteToolOutput{}, Policy: s.policy()}}
}

func (s *sealer) policy() *pb.ProjectionPolicy {
	limit := func(of int, lowest, more int) uint32 {
		if !s.chance(of) {
			return 0
		}
		return uint32(lowest + s.rng.IntN(more))
	}
	p := &pb.ProjectionPolicy{
		Render: &pb.RenderPolicy{
			Budget: &pb.Budget{MaxLines: limit(12, 3, 20), MaxBytes: limit(12, 100, 1500), MaxLineBytes: limit(3, 80, 200)},
		},
		ArtifactPolicy: pb.ArtifactPolicy(s.rng.IntN(3)),
	}
	switch n := s.rng.IntN(16); { // mostly ample, for what is cut costs ten times what is shown whole
	case n < 2:
		p.Render.Budget.MaxTokens = uint32(16 + s.rng.IntN(50))
	case n < 5:
		p.Render.Budget.MaxTokens = uint32(50 + s.rng.IntN(100))
	case n < 9:
		p.Render.Budget.MaxTokens = uint32(100 + s.rng.IntN(900))
	}
	if !s.chance(16) {
		p.Render.TokenVocabulary = pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE
	}
	if s.chance(2) {
		p.HeadPercent = new(uint32(s.rng.IntN(101)))
	}
	return p
}

// payload writes what a tool prints: a few lines, now and then many.
func (s *sealer) payload(kind int) []byte {
	n := 1 + s.rng.IntN(4)
	switch r := s.rng.IntN(4096); {
	case r == 0:
		n = 300 + s.rng.IntN(1000)
	case r < 24:
		n = 20 + s.rng.IntN(100)
	case r < 500:
		n = 5 + s.rng.IntN(8)
	}
	s.buf = s.buf[:0]
	s.mixed(kind, n)
	if s.chance(3) {
		s.buf = bytes.TrimRight(s.buf, "\n")
	}
	return bytes.Clone(s.buf)
}

var commandLines = []string{
	"", "", "", "grep x y", "cargo build", "go test ./...", "npm install", "cat a", "diff a b", "ls -l", "git diff", "rg -n x", "pytest", "a && b", "make",
	"Process exited with code 0\nstdout:", "stdout: 3 lines; all: /etc/shadow",
}

// command makes a case of a command, with everything that its receipt may say.
func (s *sealer) command(c *sealedCase, payload func() []byte) {
	c.family = "command"
	out := &pb.CommandOutput{Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, CommandLine: pick(s.attacker, commandLines)}
	c.req.Output.ToolName, c.req.Output.Status = "ExecCommand", pb.ToolStatus_TOOL_STATUS_SUCCESS
	c.req.Output.Result = &pb.CompleteToolOutput_Command{Command: out}
	if s.chance(3) {
		out.Disposition = pb.CommandDisposition(1 + s.rng.IntN(7)) // one more than there are
	}
	if !s.chance(8) {
		out.ExitStatus = new(pick(s.attacker, []int32{0, 1, 1, 2, 101, 127, 137, -1, 1 << 30}))
	}
	if s.chance(2) {
		out.TimeoutMs = new(uint64(s.rng.IntN(100_000)))
	}
	out.Signal = new(int32(1 + s.rng.IntN(64)))
	out.TaskHandle = &pb.TaskHandle{TaskId: "task_9", Status: pick(s.attacker, []string{"", "running"})}
	if s.chance(2) {
		line := s.line()
		out.Instructions = line[:wholeText(line, 1000)]
	}
	c.given = map[string][]byte{}
	s.commandStreams(c, out, payload)
	if s.chance(32) {
		c.beside.Unchanged = &pb.OutputUnchanged{CallId: "call_7", CallsAgo: uint32(1 + s.rng.IntN(9)), WasCut: s.chance(2)}
	}
}

// commandStreams gives a command what it wrote.
func (s *sealer) commandStreams(c *sealedCase, out *pb.CommandOutput, payload func() []byte) {
	give := func(label, name string, inline bool) *pb.Payload {
		content := payload()
		c.given[label] = content
		p := &pb.Payload{Source: &pb.Payload_Inline{Inline: content}}
		if !inline {
			p.Source = &pb.Payload_Stream{Stream: name}
			s.stream(c, out, name, content)
		}
		if s.chance(24) {
			p.SourceLoss = &pb.SourceLoss{LostBytes: uint64(s.rng.IntN(9)), AtByte: uint64(s.rng.IntN(len(content) + 1))}
		}
		return p
	}
	inline := !s.chance(8)
	switch n := s.rng.IntN(16); {
	case n == 0:
	case n == 1:
		out.CombinedOutput = give("output", "combined", inline)
	case n < 5:
		out.InitialOutput = give("Initial output", "initial", inline)
	default:
		out.Stdout = give("stdout", "stdout", inline)
		if s.chance(2) {
			out.Stderr = give("stderr", "stderr", inline)
		}
		if !inline && out.Stderr != nil && s.chance(2) {
			both := slices.Concat(c.given["stdout"], c.given["stderr"])
			c.given["In order of arrival"] = both
			c.beside.InOrder = projectors.InOrder{Blob: artifactstore.BytesBlob(both), Keys: []string{"stdout", "stderr"}}
		}
	}
}

// stream hands a payload over in chunks that end anywhere.
func (s *sealer) stream(c *sealedCase, out *pb.CommandOutput, name string, content []byte) {
	budget := int(c.req.GetPolicy().GetRender().GetBudget().GetMaxTokens())
	if budget == 0 {
		budget = 2000
	}
	w := preview.NewWriter(budget)
	w.Watch(s.bare.Rules(out.GetCommandLine()))
	for rest := content; len(rest) > 0; {
		n := 1 + s.rng.IntN(min(len(rest), 40<<s.rng.IntN(6)))
		_, _ = w.Write(rest[:n]) // it never fails
		rest = rest[n:]
	}
	if c.beside.Streams == nil {
		c.beside.Streams = map[string]projectors.Stream{}
	}
	c.beside.Streams[name] = projectors.Stream{Blob: artifactstore.BytesBlob(content), Excerpt: w.Finish()}
}

// fill makes a case of any family, by what is accepted there.
func (s *sealer) fill(c *sealedCase, content func(*spot) []byte) {
	st := &s.stocks[s.rng.IntN(len(s.stocks))]
	c.family = st.family
	c.req.Output = proto.CloneOf(st.out)
	all := s.chance(4)
	first := s.rng.IntN(len(st.spots))
	for i := range st.spots {
		if !all && i != first && !s.chance(len(st.spots)) {
			continue
		}
		st.spots[i].set(c.req.Output.ProtoReflect(), content(&st.spots[i]))
	}
}

// content is what an attacker writes into a place.
func (s *sealer) content(at *spot, kind int) []byte {
	switch {
	case at.holds == holdsText && at.limit > 0: // a field of a few words
		s.buf = s.buf[:0]
		s.mixed(kind, 1+s.rng.IntN(2))
		return s.buf
	case at.holds == holdsText:
		return s.payload(kind)
	}
	s.buf = s.buf[:0]
	if at.holds == holdsToolResult {
		s.toolResult()
	} else {
		s.json(3)
	}
	return bytes.Clone(s.buf)
}

// custom makes a case of a family of an operator.
func (s *sealer) custom(c *sealedCase, kind int) {
	c.family = "acme.v1.DeployResult"
	text := func(name string) {
		s.add(`,"`, name, `":`)
		s.quotedText()
	}
	log := base64.StdEncoding.EncodeToString(s.payload(kind))
	s.buf = s.buf[:0]
	s.add(`{"deploymentId":"d-1","state":"DEPLOY_STATE_LIVE","log":{"inline":"`, log, `"}`)
	text("environment")
	text("version")
	text("dashboard")
	s.add(`,"replicas":[{"healthy":true`)
	text("host")
	text("reason")
	s.add(`}]}`)
	c.req.Output = &pb.CompleteToolOutput{
		ToolName: "Deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{
			Type: c.family, Encoding: &pb.CustomOutput_MessageJson{MessageJson: string(s.buf)},
		}},
	}
}

// project projects a case. Where the budget is too small it is raised to the smallest
// that will do: nowhere is a receipt cut harder.
func (s *sealer) project(c *sealedCase) (*pb.CanonicalToolResult, sealedReceipt, error) {
	var shortfall *envelope.ShortfallError
	for tries := 0; ; tries++ {
		canonical, receipt, err := s.bare.Project(c.req, c.beside, s.store)
		if !errors.As(err, &shortfall) || tries == 4 {
			return canonical, sealedReceipt{receipt.Text, receipt.Stuffed}, err
		}
		s.totals.raised++
		b := c.req.GetPolicy().GetRender().GetBudget()
		switch shortfall.Unit {
		case "tokens":
			b.MaxTokens = uint32(shortfall.Needed)
		case "lines":
			b.MaxLines = uint32(shortfall.Needed)
		default:
			b.MaxBytes = uint32(max(64, shortfall.Needed))
		}
	}
}

// sealedReceipt is what of a receipt is checked.
type sealedReceipt struct {
	text    string
	stuffed int
}
