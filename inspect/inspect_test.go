package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/inspect"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/rpc"
)

const token = "the-token-of-the-test"

// site is a page over a sidecar in this process.
type site struct {
	inspect.Sidecar
	t      *testing.T
	server *httptest.Server
	client *http.Client
	base   string               // of the addresses of the page
	trials inspect.Sidecar      // where policies are tried
	tools  pb.ToolServiceClient // of the model
}

// newSite starts a sidecar with a store in memory, and the page, with a browser that has the cookie.
func newSite(t *testing.T, changes ...func(*config.Config)) *site {
	t.Helper()
	s := newClosedSite(t, changes...)
	s.client = &http.Client{Transport: &browser{}}
	s.base = s.enter()
	return s
}

// newClosedSite starts a site whose token is unused.
func newClosedSite(t *testing.T, changes ...func(*config.Config)) *site {
	t.Helper()
	s := &site{t: t}
	s.Sidecar, s.tools = sidecar(t, config.AuditJournal, changes...)
	s.trials, _ = sidecar(t, config.AuditOff)
	page, err := inspect.New(inspect.Options{
		Sidecar: s.Sidecar, Token: token,
		Trials: func(context.Context) (pb.ToolResultServiceClient, error) { return s.trials, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(page)
	t.Cleanup(s.server.Close)
	return s
}

// sidecar starts a sidecar with a store in memory.
func sidecar(t *testing.T, audit string, changes ...func(*config.Config)) (inspect.Sidecar, pb.ToolServiceClient) {
	t.Helper()
	c := config.Default(nil)
	c.Store, c.Audit = config.MemoryStore, audit
	for _, change := range changes {
		change(&c)
	}
	listener := rpc.ListenInProcess()
	s, err := server.New(c, server.Options{Logger: slog.New(slog.DiscardHandler), Listener: listener})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return inspect.Sidecar{
		ToolResultServiceClient: pb.NewToolResultServiceClient(conn), ArtifactServiceClient: pb.NewArtifactServiceClient(conn),
		AuditServiceClient: pb.NewAuditServiceClient(conn),
	}, pb.NewToolServiceClient(conn)
}

// browser keeps one cookie.
type browser struct{ cookie string }

// RoundTrip implements http.RoundTripper.
func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		if given := resp.Header.Get("Set-Cookie"); given != "" {
			b.cookie, _, _ = strings.Cut(given, ";")
		}
	}
	return resp, err
}

// run projects the output of a command in a session, and returns the sequence of its record.
func (s *site) run(session, call, stdout string, exit int32) *pb.AuditRecord {
	s.t.Helper()
	out := &pb.CompleteToolOutput{ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		CommandLine: "make " + call, ExitStatus: &exit, Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(stdout)}},
	}}}
	req := &pb.ProjectRequest{Output: out}
	if session != "" {
		req.Call = &pb.CallReference{SessionId: session, CallId: call}
	}
	if _, err := s.Project(context.Background(), req); err != nil {
		s.t.Fatal(err)
	}
	return s.newest()
}

// newest returns the newest record.
func (s *site) newest() *pb.AuditRecord {
	s.t.Helper()
	list, err := s.ListRecords(context.Background(), &pb.ListRecordsRequest{PageSize: 1})
	if err != nil || len(list.GetRecords()) == 0 {
		s.t.Fatal(list, err)
	}
	return list.GetRecords()[0]
}

// enter shows the token, and returns the address that the page is below.
func (s *site) enter() string {
	s.t.Helper()
	resp, err := s.client.Get(s.server.URL + "/?token=" + token)
	if code, body := read(s.t, resp, err); code != http.StatusOK {
		s.t.Fatalf("the first page: %d %s", code, body)
	}
	return strings.TrimSuffix(resp.Request.URL.String(), "/")
}

// get returns what the page answers with 200.
func (s *site) get(path string) string {
	s.t.Helper()
	code, body := s.ask(path)
	if code != http.StatusOK {
		s.t.Fatalf("GET %s: %d %s", path, code, body)
	}
	return body
}

// ask returns what the page answers.
func (s *site) ask(path string) (code int, body string) {
	s.t.Helper()
	resp, err := s.client.Get(s.base + path)
	return read(s.t, resp, err)
}

// post sends a form.
func (s *site) post(path string, form url.Values) string {
	s.t.Helper()
	resp, err := s.client.PostForm(s.base+path, form)
	code, body := read(s.t, resp, err)
	if code != http.StatusOK {
		s.t.Fatalf("POST %s: %d %s", path, code, body)
	}
	return body
}

// read reads an answer to its end.
func read(t *testing.T, resp *http.Response, err error) (code int, body string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// shown returns the text of a page, and the elements that are in it by their names.
func shown(t *testing.T, page string) (text string, elements map[string]int) {
	t.Helper()
	elements = map[string]int{}
	var b bytes.Buffer
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return b.String(), elements
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			elements[string(name)]++
		}
	}
}

// log returns lines of a build, some of them errors.
func log(lines int) string {
	var b strings.Builder
	for i := range lines {
		if i%397 == 200 {
			fmt.Fprintf(&b, "main.go:%d:7: error: undefined: thing%d\n", i, i)
			continue
		}
		fmt.Fprintf(&b, "compiling unit %d of the module, step %x\n", i, i*i)
	}
	return b.String()
}
