// Command conformance is the driver of the Go client for the list of integration/conformance: it reads a call from each line of
// its standard input, makes it, and writes what it got as a line. It knows no expectations.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/code"

	toolresult "github.com/toolresult/toolresult/clients/go"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// driver has the client, and what calls have saved.
type driver struct {
	client *toolresult.Client
	stream *toolresult.Stream
	saved  map[string]*toolresult.Result
}

// line is a request.
type line struct {
	Call string
	With with
	Save string
}

// object is a value of JSON.
type object = map[string]any

func main() {
	d := &driver{saved: map[string]*toolresult.Result{}}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var l line
		reply := object{}
		if err := json.Unmarshal(text, &l); err != nil {
			reply["error"] = object{"class": "BrokenLine", "message": err.Error()}
		} else if answer, err := d.call(l); err != nil {
			reply["error"] = describe(err)
		} else {
			reply["answer"] = answer
		}
		if err := out.Encode(reply); err != nil {
			panic(err)
		}
	}
}

// calls are the calls, by their names in the list.
var calls = map[string]func(*driver, context.Context, line) (object, error){
	"connect": (*driver).connect, "close": (*driver).close, "project_text": (*driver).projectText, "project_command": (*driver).projectCommand,
	"project_error": (*driver).projectError, "stream": (*driver).streamAll, "stream_open": (*driver).streamOpen, "stream_write": (*driver).streamWrite,
	"stream_snapshot": (*driver).streamSnapshot, "stream_finish": (*driver).streamFinish, "render": (*driver).render, "compact": (*driver).compact,
	"read": (*driver).read, "encode_turn": (*driver).encodeTurn, "register_secrets": (*driver).registerSecrets,
	"tool_definitions": (*driver).toolDefinitions, "call_tool": (*driver).callTool, "info": (*driver).info, "health": (*driver).health,
	"raw_info": (*driver).rawInfo,
}

// call makes a call.
func (d *driver) call(l line) (object, error) {
	if l.Call == "time" { // it makes others
		return d.time(l)
	}
	f, ok := calls[l.Call]
	if !ok {
		return nil, fmt.Errorf("there is no call %q", l.Call)
	}
	ctx := context.Background()
	if ms, ok := l.With["timeout_ms"].(float64); ok && l.Call != "connect" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(ms*float64(time.Millisecond)))
		defer cancel()
	}
	return f(d, ctx, l)
}

// describe returns an error as the list has it. Statuses have the names that gRPC specifies, and
// not those of Go.
func describe(err error) object {
	e, ok := errors.AsType[*toolresult.Error](err)
	if !ok {
		return object{"class": "ArgumentError", "message": err.Error()}
	}
	class := ""
	for word := range strings.SplitSeq(strings.ToLower(e.Reason), "_") {
		if word != "" {
			class += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	switch {
	case errors.Is(err, toolresult.ErrNoSidecar):
		class = "NoSidecar"
	case errors.Is(err, toolresult.ErrUnavailable):
		class = "Unavailable"
	case class == "":
		class = "ToolResult"
	}
	return object{
		"class": class + "Error", "reason": e.Reason, "field": e.Field, "hint": e.Hint, "retryable": e.Retryable, "message": e.Message, "code": code.Code(e.Code).String(),
	}
}

// with are the arguments of a call.
type with map[string]any

func (w with) has(name string) bool    { return w[name] != nil }
func (w with) text(name string) string { s, _ := w[name].(string); return s }
func (w with) number(name string) int  { n, _ := w[name].(float64); return int(n) }

// bytes returns a text or {"base64": ...}; nil: it is absent.
func (w with) bytes(name string) []byte {
	switch v := w[name].(type) {
	case string:
		return []byte(v)
	case object:
		data, err := base64.StdEncoding.DecodeString(with(v).text("base64"))
		if err != nil {
			panic(err) // of the list
		}
		return data
	}
	return nil
}

// pair returns two numbers.
func (w with) pair(name string) (a, b uint64) {
	list, _ := w[name].([]any)
	x, _ := list[0].(float64)
	y, _ := list[1].(float64)
	return uint64(x), uint64(y)
}

// objects returns a list of objects.
func (w with) objects(name string) (out []with) {
	list, _ := w[name].([]any)
	for _, v := range list {
		o, _ := v.(object)
		out = append(out, with(o))
	}
	return out
}

// options returns those of a projection.
func (w with) options() (out []toolresult.Option) {
	for name, option := range map[string]func(string) toolresult.Option{
		"session": toolresult.Session, "call_id": toolresult.CallID, "request_id": toolresult.RequestID, "media_type": toolresult.MediaType,
		"family": toolresult.Family, "command_line": toolresult.CommandLine,
	} {
		if w.has(name) {
			out = append(out, option(w.text(name)))
		}
	}
	if w.has("max_tokens") {
		out = append(out, toolresult.MaxTokens(w.number("max_tokens")))
	}
	return out
}

// result saves a result, and returns it as the list has it.
func (d *driver) result(save string, r *toolresult.Result, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	if save != "" {
		d.saved[save] = r
	}
	return object{"receipt": r.Receipt, "tokens": r.Tokens, "family": r.Family, "failed": r.Failed, "artifacts": append([]string{}, r.Artifacts...)}, nil
}

// named returns a saved result, "$name".
func (d *driver) named(w with, name string) *toolresult.Result {
	r := d.saved[strings.TrimPrefix(w.text(name), "$")]
	if r == nil {
		panic("there is no result " + w.text(name))
	}
	return r
}

func (d *driver) connect(ctx context.Context, l line) (object, error) {
	if d.client != nil {
		_ = d.client.Close()
	}
	options := []toolresult.ConnectOption{
		toolresult.WithAddress(l.With.text("address")), toolresult.WithToken(l.With.text("token")), toolresult.WithSession(l.With.text("session")),
		toolresult.WithTimeout(time.Duration(l.With.number("timeout_ms")) * time.Millisecond),
	}
	if l.With["start"] == true {
		options = append(options, toolresult.WithStart())
	}
	client, err := toolresult.Connect(ctx, options...)
	if err != nil {
		return nil, err
	}
	d.client = client
	return object{"address": client.Address()}, nil
}

func (d *driver) close(context.Context, line) (object, error) { return object{}, d.client.Close() }

func (d *driver) projectText(ctx context.Context, l line) (object, error) {
	r, err := d.client.ProjectText(ctx, l.With.text("tool"), string(l.With.bytes("text")), l.With.options()...)
	return d.result(l.Save, r, err)
}

// command returns the command that arguments describe.
func command(w with) toolresult.Command {
	c := toolresult.Command{
		Tool: w.text("tool"), Line: w.text("command_line"), Stdout: w.bytes("stdout"), Stderr: w.bytes("stderr"), Output: w.bytes("output"),
		Signal: int32(w.number("signal")), TimeoutMillis: uint64(w.number("timed_out_ms")), Cancelled: w["cancelled"] == true,
	}
	if w.has("exit_status") {
		c.ExitStatus = toolresult.Exited(w.number("exit_status"))
	}
	return c
}

func (d *driver) projectCommand(ctx context.Context, l line) (object, error) {
	r, err := d.client.ProjectCommand(ctx, command(l.With), l.With.options()...)
	return d.result(l.Save, r, err)
}

func (d *driver) projectError(ctx context.Context, l line) (object, error) {
	f := toolresult.Failure{Kind: l.With.text("kind"), Message: string(l.With.bytes("message")), Details: l.With.text("details")}
	if hint := l.With.text("recovery_hint"); l.With.has("recovery_hint") {
		f.RecoveryHint = &hint
	}
	if retryable, ok := l.With["retryable"].(bool); ok {
		f.Retryable = &retryable
	}
	r, err := d.client.ProjectError(ctx, l.With.text("tool"), f, l.With.options()...)
	return d.result(l.Save, r, err)
}

func (d *driver) streamOpen(_ context.Context, l line) (object, error) {
	var err error
	d.stream, err = d.client.Stream(context.Background(), l.With.text("tool"), l.With.options()...)
	return object{}, err
}

func (d *driver) streamWrite(_ context.Context, l line) (object, error) {
	out := map[string]io.Writer{"output": d.stream}
	switch l.With.text("stream") {
	case "stdout":
		out["stdout"] = d.stream.Stdout()
	case "stderr":
		out["stderr"] = d.stream.Stderr()
	}
	_, err := out[l.With.text("stream")].Write(l.With.bytes("data"))
	return object{}, err
}

func (d *driver) streamSnapshot(_ context.Context, l line) (object, error) {
	r, err := d.stream.Snapshot(l.With.text("task_id"))
	return d.result(l.Save, r, err)
}

func (d *driver) streamFinish(_ context.Context, l line) (object, error) {
	if l.With.text("family") == "text" {
		r, err := d.stream.FinishText()
		return d.result(l.Save, r, err)
	}
	r, err := d.stream.FinishCommand(command(l.With))
	return d.result(l.Save, r, err)
}

func (d *driver) streamAll(ctx context.Context, l line) (object, error) {
	if _, err := d.streamOpen(ctx, l); err != nil {
		return nil, err
	}
	defer func() { _ = d.stream.Close() }()
	snapshots := []string{}
	for _, w := range l.With.objects("writes") {
		if w.has("snapshot") {
			r, err := d.stream.Snapshot(w.text("snapshot"))
			if err != nil {
				return nil, err
			}
			snapshots = append(snapshots, r.Receipt)
			continue
		}
		if _, err := d.streamWrite(ctx, line{With: w}); err != nil {
			return nil, err
		}
	}
	if !l.With.has("finish") {
		return object{}, nil
	}
	finish, _ := l.With["finish"].(object)
	finish["family"] = l.With["family"]
	answer, err := d.streamFinish(ctx, line{With: with(finish), Save: l.Save})
	if err == nil {
		answer["snapshots"] = snapshots
	}
	return answer, err
}

func (d *driver) render(ctx context.Context, l line) (object, error) {
	policy := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: uint32(l.With.number("max_tokens"))}}
	r, err := d.client.Render(ctx, d.named(l.With, "result").Canonical, policy)
	return object{"receipt": r.GetText(), "tokens": r.GetTokens()}, err
}

func (d *driver) compact(ctx context.Context, l line) (object, error) {
	levels := map[string]pb.CompactionLevel{
		"trimmed": pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, "handles": pb.CompactionLevel_COMPACTION_LEVEL_HANDLES, "line": pb.CompactionLevel_COMPACTION_LEVEL_LINE,
	}
	req := &pb.CompactRequest{SessionId: l.With.text("session"), DryRun: l.With["dry_run"] == true, Policy: &pb.CompactionPolicy{
		TotalTokens: uint32(l.With.number("total_tokens")), Level: levels[l.With.text("level")], PreviewTokens: uint32(l.With.number("preview_tokens")),
		Protect: &pb.ProtectionPolicy{LastTurns: uint32(l.With.number("protect_last_turns"))},
	}}
	for _, w := range l.With.objects("entries") {
		entry := d.named(w, "result").Entry(w.text("call_id"), uint32(w.number("turn")))
		entry.Subject = w.text("subject")
		req.Entries = append(req.Entries, entry)
	}
	answer, err := d.client.Compact(ctx, req)
	changed := []object{}
	for _, r := range answer.GetResults() {
		changed = append(changed, object{"index": r.GetIndex(), "receipt": r.GetReceipt().GetText()})
	}
	out := object{
		"changed": changed, "first_changed": nil, "overview": nil, "tokens_before": answer.GetPlan().GetTokensBefore(),
		"tokens_after": answer.GetPlan().GetTokensAfter(), "budget_met": answer.GetPlan().GetBudgetMet(),
	}
	if answer != nil && answer.FirstChanged != nil {
		out["first_changed"] = answer.GetFirstChanged()
	}
	if answer.GetOverview() != nil {
		out["overview"] = answer.GetOverview().GetText()
	}
	return out, err
}

// selection returns the part of an artifact that arguments select.
func selection(w with) toolresult.Selection {
	around := uint32(w.number("context"))
	switch {
	case w.has("lines"):
		return toolresult.Lines(w.pair("lines"))
	case w.has("bytes"):
		return toolresult.Bytes(w.pair("bytes"))
	case w.has("around"):
		line, n := w.pair("around")
		return toolresult.Around(line, uint32(n))
	case w.has("tail"):
		return toolresult.Tail(uint64(w.number("tail")))
	case w.has("match"):
		return toolresult.Match(w.text("match"), around)
	case w.has("pointer"):
		return toolresult.Pointer(w.text("pointer"))
	}
	return nil
}

func (d *driver) read(ctx context.Context, l line) (object, error) {
	options := []toolresult.ReadOption{toolresult.Most(uint32(l.With.number("max_bytes")), uint32(l.With.number("max_lines")))}
	if l.With.has("session") {
		options = append(options, toolresult.OfSession(l.With.text("session")))
	}
	var data []byte
	var last *pb.ReadArtifactResponse
	pages := 0
	for page, err := range d.client.ReadPages(ctx, l.With.text("path"), selection(l.With), options...) {
		if err != nil {
			return nil, err
		}
		pages, data, last = pages+1, append(data, page.GetData()...), page
		if l.With["all_pages"] != true {
			break
		}
	}
	out := object{"data": string(data), "complete": last.GetComplete(), "has_next": last.GetNextPageToken() != "", "pages": pages}
	if !utf8.Valid(data) {
		out["data"] = object{"base64": base64.StdEncoding.EncodeToString(data)}
	}
	return out, nil
}

// providers are the providers by their words in the list.
var providers = map[string]pb.Provider{
	"chat": pb.Provider_PROVIDER_CHAT, "openai-chat": pb.Provider_PROVIDER_OPENAI_CHAT, "openai-responses": pb.Provider_PROVIDER_OPENAI_RESPONSES,
	"anthropic": pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, "gemini": pb.Provider_PROVIDER_GEMINI, "bedrock": pb.Provider_PROVIDER_BEDROCK_CONVERSE,
	"mistral": pb.Provider_PROVIDER_MISTRAL, "ollama": pb.Provider_PROVIDER_OLLAMA,
}

func (d *driver) encodeTurn(ctx context.Context, l line) (object, error) {
	req := &pb.EncodeTurnRequest{
		Provider: providers[l.With.text("provider")], Assistant: &pb.AssistantTurn{Content: l.With.text("content")},
		UserText: l.With.text("user_text"), SessionId: l.With.text("session"),
	}
	for _, w := range l.With.objects("calls") {
		arguments, isText := w["arguments"].(string)
		if !isText {
			text, _ := json.Marshal(w["arguments"])
			arguments = string(text)
		}
		id := w.text("id")
		req.Assistant.ToolCalls = append(req.Assistant.ToolCalls, &pb.ParsedToolCall{Server: w.text("server"), Tool: w.text("tool"), Arguments: arguments, Id: &id})
	}
	for _, w := range l.With.objects("results") {
		if w.has("result") {
			req.Results = append(req.Results, d.named(w, "result").Answer(w.text("call_id")))
			continue
		}
		id := w.text("call_id")
		r := &pb.TurnResult{CallId: &id, Content: &pb.TurnResult_Text{Text: w.text("text")}}
		if w["error"] == true {
			r.Status = pb.ToolStatus_TOOL_STATUS_ERROR
		}
		req.Results = append(req.Results, r)
	}
	notices, _ := l.With["notices"].([]any)
	for _, notice := range notices {
		req.Notices = append(req.Notices, fmt.Sprint(notice))
	}
	answer, err := d.client.EncodeTurn(ctx, req)
	messages, changes := []any{}, []string{}
	for _, text := range answer.GetMessagesJson() {
		var m any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	for _, change := range answer.GetChanges() {
		changes = append(changes, change.GetChange().String())
	}
	return object{"messages": messages, "native": answer.GetNative(), "changes": changes}, err
}

func (d *driver) registerSecrets(ctx context.Context, l line) (object, error) {
	values := map[string]string{}
	given, _ := l.With["values"].(object)
	for name := range given {
		values[name] = string(with(given).bytes(name))
	}
	id, err := d.client.RegisterSecrets(ctx, l.With.text("session"), values)
	return object{"set_id": id}, err
}

func (d *driver) toolDefinitions(ctx context.Context, l line) (object, error) {
	tools, err := d.client.ToolDefinitions(ctx, providers[l.With.text("provider")])
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.GetName())
	}
	return object{"names": names}, err
}

func (d *driver) callTool(ctx context.Context, l line) (object, error) {
	arguments, err := json.Marshal(l.With["arguments"])
	if err != nil {
		return nil, err
	}
	answer, err := d.client.CallTool(ctx, l.With.text("name"), string(arguments), l.With.options()...)
	return object{"receipt": answer.GetReceipt().GetText()}, err
}

func (d *driver) info(ctx context.Context, _ line) (object, error) {
	info, err := d.client.Info(ctx)
	return object{"families": info.GetFamilies(), "durability": info.GetDurability().String()}, err
}

func (d *driver) health(ctx context.Context, _ line) (object, error) {
	serving, err := d.client.Healthy(ctx)
	return object{"serving": serving}, err
}

func (d *driver) rawInfo(ctx context.Context, _ line) (object, error) {
	info, err := d.client.Results.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
	return object{"version_is_set": info.GetVersion() != ""}, err
}

// time makes a call many times, one after the other.
func (d *driver) time(l line) (object, error) {
	text, err := json.Marshal(l.With["call"])
	var inner line
	if err == nil {
		err = json.Unmarshal(text, &inner)
	}
	if err != nil {
		return nil, err
	}
	times := make([]time.Duration, 0, l.With.number("times"))
	for i := range l.With.number("warmup") + l.With.number("times") {
		began := time.Now()
		if _, err := d.call(inner); err != nil {
			return nil, err
		}
		if i >= l.With.number("warmup") {
			times = append(times, time.Since(began))
		}
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))].Nanoseconds()) / 1000
	}
	return object{"p50_us": at(0.5), "p95_us": at(0.95)}, nil
}
