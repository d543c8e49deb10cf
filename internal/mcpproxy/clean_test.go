package mcpproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/redacttest"
	"github.com/toolresult/toolresult/redact"
)

// noSidecar makes no receipts.
type noSidecar struct{ Sidecar }

func (noSidecar) Expect() {}

func (noSidecar) Project(context.Context, Result) (Receipt, error) {
	return Receipt{}, errors.New("there is none")
}

// redacting returns a session whose proxy replaces secrets and makes no receipts.
func redacting(t *testing.T) *session {
	t.Helper()
	return newSession(t, Options{Threshold: 4 << 10, ReadTool: DefaultReadTool, Patterns: redact.BuiltIn(), Log: slog.New(slog.DiscardHandler)}, noSidecar{})
}

// TestNoSecretPasses puts secrets in all shapes into each place of a message that a model may read: short and long results, their
// structured content, _meta, links, errors, logs. None passes, and what passes is JSON.
func TestNoSecretPasses(t *testing.T) {
	t.Parallel()
	places := map[string]string{
		"text":       `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%q}]}}`,
		"two texts":  `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"},{"type":"text","text":%q}],"isError":true}}`,
		"structured": `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"log":%q}}}`,
		"meta":       `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"example.org/log":%q}}}`,
		"link":       `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource_link","uri":"file:///a","name":"a","description":%q}]}}`,
		"MIME type":  `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":%q,"text":""}}]}}`,
		"error":      `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":%q}}`,
		"error data": `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":{"log":[%q]}}}`,
		"log":        `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%q}}`,
		"sampling":   `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":%q}}]}}`,
		"long text":  `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%q},{"type":"text","text":"` + strings.Repeat("words and words ", 400) + `"}]}}`,
	}
	s := redacting(t)
	s.ask(with(callTool, "1"))
	if _, err := s.server.reads.next(); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(places))
	for i, shape := range redacttest.Shapes() {
		d := shape.Draw(1)
		line, err := json.Marshal(d.Text)
		if err != nil {
			t.Fatal(err)
		}
		for k, place := range names {
			if testing.Short() && i%len(names) != k { // each shape in one place
				continue
			}
			s.answer(strings.Replace(places[place], "%q", string(line), 1))
			got := s.want()
			if part := d.Shown(got); part != "" || !json.Valid([]byte(got)) {
				t.Fatalf("%s, %s: %s is shown: %.400s", shape.Line, place, part, got)
			}
		}
	}
}

// TestNoSecretPassesInALargeMessage has secrets in all shapes in a message that is masked in place.
func TestNoSecretPassesInALargeMessage(t *testing.T) {
	t.Parallel()
	s := redacting(t)
	s.ask(with(callTool, "1"))
	if _, err := s.server.reads.next(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var all []redacttest.Drawn
	for _, shape := range redacttest.Shapes() {
		d := shape.Draw(1)
		all = append(all, d)
		text.WriteString(d.Text + "\nwords \x1b[1mand\x1b[0m \"words\"\n")
	}
	end := text.Len()
	text.WriteString(strings.Repeat("words and words ", maxWhole/16))
	line, err := json.Marshal(text.String())
	if err != nil {
		t.Fatal(err)
	}
	message := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(line) + `}]}}`
	s.answer(message)
	got := s.want()
	if len(strings.TrimSuffix(got, "\n")) != len(message) || !json.Valid([]byte(got)) {
		t.Fatalf("%d of %d bytes, JSON: %v", len(got), len(message), json.Valid([]byte(got)))
	}
	got = got[:2*end] // with its escapes
	for _, d := range all {
		if part := d.Shown(got); part != "" {
			t.Errorf("%s of %q is shown", part, d.Text)
		}
	}
}

// TestWhatMessagesAreFoundByStays passes messages with texts that look like secrets where clients and servers find things by them.
func TestWhatMessagesAreFoundByStays(t *testing.T) {
	t.Parallel()
	s := redacting(t)
	const token = "ghp_Zk4mT8qR2vW9xB3nJ7pL6sD1fG5hY0cA8eUw"
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":"` + token + `","result":{"content":[]}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"` + token + `","progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + token + `"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"x:` + token + `"}],"nextCursor":"` + token + `"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a","description":"takes api_key=` + token + `"}]}}`,
		`{"jsonrpc":"2.0","id":4,"result":{"protocolVersion":"2025-06-18","capabilities":{},"instructions":"` + token + `"}}`,
		`{ "jsonrpc" : "2.0", "id" : 5.0, "result" : { "content" : [ { "type":"text", "text":"nothing \u0041" } ], "n": 1e400 } }`,
	} {
		s.answer(line)
		if got := s.want(); got != line+"\n" {
			t.Errorf("%s passes as %s", line, got)
		}
	}
}

// TestSettingPassesSecrets turns the patterns off.
func TestSettingPassesSecrets(t *testing.T) {
	t.Parallel()
	s := newSession(t, Options{Threshold: 4 << 10, ReadTool: DefaultReadTool, Log: slog.New(slog.DiscardHandler)}, noSidecar{})
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":%q}}`, "DB_PASSWORD=x7Kq92mZp4Lw")
	s.answer(line)
	if got := s.want(); got != line+"\n" {
		t.Errorf("%s passes as %s", line, got)
	}
}
