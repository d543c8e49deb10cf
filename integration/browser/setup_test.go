package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	toolresult "github.com/toolresult/toolresult/clients/go"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Numbers of the store that all tests look at.
const (
	manyRecords = 100_000
	hugeBytes   = 1 << 30
)

// site is the page over a sidecar whose log has many records, one of them of a gigabyte.
var site struct {
	program string // the binary
	url     string // with the token
	root    string // of the addresses of the page
	path    string // of root
	client  *toolresult.Client
	huge    uint64 // sequence of the record of hugeBytes
	hostile uint64
	build   uint64 // of the output of a build, which was cut
}

// chromium is a running browser.
var chromium context.Context

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		panic(err)
	}
	code := 1
	stop, err := start(dir)
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	stop()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// start starts a sidecar, fills its log, and starts the page and a browser. What is returned ends all of it.
func start(dir string) (stop func(), err error) {
	var ends []func()
	stop = func() {
		for len(ends) > 0 {
			ends[len(ends)-1]()
			ends = ends[:len(ends)-1]
		}
	}
	if site.program = os.Getenv("TOOLRESULT_BINARY"); site.program == "" {
		site.program = filepath.Join(dir, "toolresult")
		if out, err := exec.Command("go", "build", "-C", "../..", "-o", site.program, "./cmd/toolresult").CombinedOutput(); err != nil {
			return stop, fmt.Errorf("%w: %s", err, out)
		}
	}
	socket := filepath.Join(dir, "s")
	_, end, err := run("serve", "--store", filepath.Join(dir, "store"), "--socket", socket, "--volatile", "--log-level", "error",
		"--roots", dir, "--audit-keep-for", "0s")
	if err != nil {
		return stop, err
	}
	ends = append(ends, end)
	if site.client, err = toolresult.Connect(context.Background(), toolresult.WithAddress("unix:"+socket)); err != nil {
		return stop, err
	}
	if err := fill(dir); err != nil {
		return stop, err
	}
	if site.url, end, err = run("inspect", "--server", "unix:"+socket); err != nil {
		return stop, err
	}
	ends = append(ends, end)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath()), chromedp.NoSandbox, chromedp.WindowSize(1440, 900))
	for _, flag := range []string{"disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ends = append(ends, end)
	chromium, end = chromedp.NewContext(allocator)
	ends = append(ends, end)
	if err := chromedp.Do(chromium, chromedp.Navigate(site.url)); err != nil { // the cookie is that of the browser
		return stop, err
	}
	first, err := chromedp.Run(chromium, chromedp.Location())
	if err != nil {
		return stop, err
	}
	address, err := url.Parse(first)
	if err != nil {
		return stop, err
	}
	site.root, site.path = strings.TrimSuffix(first, "/"), strings.TrimSuffix(address.Path, "/")
	return stop, nil
}

// browserPath returns the path of Chromium, as Debian has it.
func browserPath() string {
	if path, err := exec.LookPath("chromium"); err == nil {
		return path
	}
	return "/usr/bin/chromium"
}

// run starts the binary, and returns the first line that it prints and what ends it.
func run(args ...string) (line string, end func(), err error) {
	cmd := exec.Command(site.program, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TOOLRESULT_") }) // those are of the tests
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	lines := bufio.NewReader(out)
	line, err = lines.ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		return "", nil, fmt.Errorf("%s printed nothing: %w: %s", args[0], err, &log)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return strings.TrimSpace(line), func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}, nil
}

// fill writes the log: many short calls of a hundred sessions, then the three that are looked at.
func fill(dir string) error {
	const callers = 16
	failed := make(chan error, callers)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := caller; i < manyRecords; i += callers {
				out := command(fmt.Sprintf("step %d", i), fmt.Appendf(nil, "step %d: done\n", i), int32(i%9/8))
				call := &pb.CallReference{SessionId: fmt.Sprintf("session-%d", i%100), CallId: fmt.Sprintf("call_%d", i)}
				if _, err := site.client.Results.Project(context.Background(), &pb.ProjectRequest{Output: out, Call: call}); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	if err := <-failed; err != nil {
		return err
	}
	huge := filepath.Join(dir, "huge.log")
	if err := writeHuge(huge); err != nil {
		return err
	}
	defer os.Remove(huge)
	out := command("cat huge.log", nil, 1)
	out.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: huge}}}
	var err error
	if site.huge, err = project("looked-at", "huge", out); err != nil {
		return err
	}
	if site.hostile, err = project("looked-at", "hostile", command("cat hostile", hostile(), 0)); err != nil {
		return err
	}
	site.build, err = project("looked-at", "build", command("make", build(3000), 2))
	return err
}

// project projects an output, and returns the sequence of its record.
func project(session, call string, out *pb.CompleteToolOutput) (uint64, error) {
	_, err := site.client.Results.Project(context.Background(), &pb.ProjectRequest{Output: out, Call: &pb.CallReference{SessionId: session, CallId: call}})
	if err != nil {
		return 0, err
	}
	list, err := site.client.Audit.ListRecords(context.Background(), &pb.ListRecordsRequest{SessionId: session, PageSize: 1})
	if err != nil {
		return 0, err
	}
	if len(list.GetRecords()) == 0 {
		return 0, errors.New("the call is not on record")
	}
	return list.GetRecords()[0].GetSequence(), nil
}

// command returns the output of a command.
func command(line string, stdout []byte, exit int32) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		CommandLine: line, ExitStatus: &exit, Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: stdout}},
	}}}
}

// hostile returns what a tool may write to be taken for the page, or to be run by it.
func hostile() []byte {
	return []byte("<script>document.title='owned'</script>\n</pre></div></main><h1>owned</h1>\n<img src=x onerror=\"document.title='owned'\">\n" +
		"<a href=\"javascript:document.title='owned'\">x</a>\n<form action=\"/verification\" method=post><button>owned</button></form>\n" +
		"<div hx-get=\"/records\" hx-trigger=load hx-target=body>x</div>\n<meta http-equiv=refresh content=\"0;url=/records\">\n" +
		"\u202Eright to left\u202C \u2067isolated\u2069 \U000E0041 \u200Bzero\n\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07 \x1b[2J\x00\xff\n" +
		strings.Repeat("\u0301", 500) + "\n" + strings.Repeat("wide", 100_000) + "\n")
}

// build returns the output of a build of some lines, a few of them errors.
func build(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		if i%311 == 100 {
			fmt.Fprintf(&b, "lib/part%d.c:%d:3: error: 'thing%d' undeclared\n", i, i, i)
			continue
		}
		fmt.Fprintf(&b, "cc -O2 -c lib/part%d.c -o obj/%x.o\n", i, i*i)
	}
	return b.Bytes()
}

// writeHuge writes a file of hugeBytes.
func writeHuge(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	piece := build(200_000)
	for written := 0; written < hugeBytes && err == nil; written += len(piece) {
		_, err = f.Write(piece[:min(len(piece), hugeBytes-written)])
	}
	return errors.Join(err, f.Close())
}

// tab opens a page in a tab of its own.
func tab(t *testing.T, path string, before ...chromedp.Action[chromedp.Void]) context.Context {
	t.Helper()
	ctx, end := chromedp.NewContext(chromium)
	t.Cleanup(end)
	if err := chromedp.Do(ctx, append(before, chromedp.Navigate(site.root+path))...); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	bounded, stop := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	return bounded
}

// eval evaluates an expression of JavaScript in a page.
func eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// do runs actions.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// until waits until an expression is true.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if eval[bool](t, ctx, expression) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after 20 s not: %s\n%.3000s", expression, eval[string](t, ctx, "document.body.innerText"))
		}
	}
}

// click clicks an element as a script does.
func click(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	eval[any](t, ctx, fmt.Sprintf("document.querySelector(%q).click()", selector))
}
