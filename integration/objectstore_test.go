package integration_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"google.golang.org/grpc/codes"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

const gatewayPath = "../.bin/versitygw"

// gatewaySecret signs requests to the gateway, and is in nothing that anybody writes.
const gatewaySecret = "integration-secret-0123456789"

// gateway is an S3 server over a directory, in which objects are plain files.
type gateway struct {
	root    string // the bucket is a directory in it
	address string
	cmd     *exec.Cmd
	stderr  *output
}

// newGateway starts an S3 server with an empty bucket.
func newGateway(t *testing.T) *gateway {
	t.Helper()
	_, err := os.Stat(gatewayPath)
	leg(t, err == nil, "needs "+gatewayPath+"; make builds it")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{root: t.TempDir(), address: free.Addr().String(), stderr: &output{}}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(g.root, "bucket"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.stop(t) })
	g.start(t)
	return g
}

// start starts the server, again after stop.
func (g *gateway) start(t *testing.T) {
	t.Helper()
	// Never with --nometa: conditions and ranges are not what S3 does then.
	g.cmd = exec.Command(gatewayPath, "--port", g.address, "--quiet", "posix", g.root)
	g.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=integration", "ROOT_SECRET_KEY="+gatewaySecret, "AWS_EC2_METADATA_DISABLED=true")
	g.cmd.Stderr = g.stderr
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the S3 server", func() bool {
		resp, err := http.Get("http://" + g.address + "/")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil
	})
}

// stop ends the server, as an outage does.
func (g *gateway) stop(t *testing.T) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	if g.cmd == nil || g.cmd.ProcessState != nil {
		return
	}
	if err := g.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = g.cmd.Wait() // it reports the signal
}

func (g *gateway) location() string {
	return "s3://bucket/it?endpoint=http://" + g.address
}

// environment has the credentials of the server.
func (g *gateway) environment() []string {
	return []string{"AWS_ACCESS_KEY_ID=integration", "AWS_SECRET_ACCESS_KEY=" + gatewaySecret, "AWS_EC2_METADATA_DISABLED=true"}
}

// launch is a sidecar whose artifacts go to the server.
func (g *gateway) launch(args ...string) launch {
	return launch{Args: append([]string{"--object-store", g.location()}, args...), Env: g.environment()}
}

// write puts an object, whatever is there.
func (g *gateway) write(t *testing.T, key, content string) {
	t.Helper()
	client, err := minio.New(g.address, &minio.Options{Creds: credentials.NewStaticV4("integration", gatewaySecret, ""), Region: "us-east-1"})
	if err == nil {
		_, err = client.PutObject(context.WithoutCancel(t.Context()), "bucket", key, strings.NewReader(content), int64(len(content)), minio.PutObjectOptions{})
	}
	if err != nil {
		t.Error(err)
	}
}

// objects counts what is in the bucket, without indices.
func (g *gateway) objects(t *testing.T) (n int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(g.root, "bucket", "it"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), ".index") {
			n++
		}
	}
	return n
}

// TestObjectStoreContract runs the contract of stores against a real S3 server, with copies in the spool that stay and
// without.
func TestObjectStoreContract(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	keys, err := objectstore.FindCredentials(func(name string) string {
		return map[string]string{"AWS_ACCESS_KEY_ID": "integration", "AWS_SECRET_ACCESS_KEY": gatewaySecret}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, spoolBytes := range map[string]int64{"with a spool": 1 << 30, "without": 0} {
		t.Run(what, func(t *testing.T) {
			n := 0
			artifactstoretest.RunNamed(t, objectstore.NameDigits, func(t *testing.T) artifactstore.Store {
				n++
				at, err := objectstore.ParseLocation(fmt.Sprintf("s3://bucket/%d/%d?endpoint=http://%s", spoolBytes, n, g.address))
				if err != nil {
					t.Fatal(err)
				}
				s, err := objectstore.Open(t.TempDir()+"/spool", dir.Options{Volatile: true}, objectstore.Options{
					Location: at, Credentials: keys, SpoolBytes: spoolBytes, Logger: slog.New(slog.DiscardHandler),
				})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
				return s
			})
		})
	}
}

// objectStatus asks a sidecar how far its artifacts have gone.
func (s *sidecar) objectStatus(t *testing.T) *pb.ObjectStoreStatus {
	t.Helper()
	info, err := s.GetServerInfo(context.WithoutCancel(t.Context()), &pb.GetServerInfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return info.GetStore().GetObjectStore()
}

// uploaded waits until nothing is pending.
func (s *sidecar) uploaded(t *testing.T) {
	t.Helper()
	waitFor(t, "uploads", func() bool { return s.objectStatus(t).GetPendingArtifacts() == 0 })
	if st := s.objectStatus(t); st.GetPendingBytes() != 0 || st.GetLastError() != "" {
		t.Errorf("nothing is pending, and the status is %v", st)
	}
}

// wantNoSecret checks what must never be written.
func wantNoSecret(t *testing.T, s *sidecar) {
	t.Helper()
	if strings.Contains(s.Log.String(), gatewaySecret) {
		t.Errorf("the log has the secret:\n%s", s.Log)
	}
}

// TestObjectStore projects on one machine and reads on another, through an outage.
func TestObjectStore(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	large := g.launch("--max-message-bytes=64MiB", "--max-in-flight-bytes=64MiB")
	one := startSidecar(t, large)
	text := counted(5_000_000) // 38 MB: more than two parts
	_, path := stored(t, one, text)
	if !strings.HasPrefix(path, "s3://bucket/it/") || len(path) != len("s3://bucket/it/")+objectstore.NameDigits {
		t.Errorf("the path is %s", path)
	}
	one.uploaded(t)
	if st := one.objectStatus(t); st.GetUrl() != "s3://bucket/it" || g.objects(t) != 1 {
		t.Errorf("%d objects, status %v", g.objects(t), st)
	}

	two := startSidecar(t, large)
	c := pb.NewArtifactServiceClient(two.conn)
	lines := &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 4_000_000, Last: 4_000_002}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: lines}); data != "4000000\n4000001\n4000002\n" {
		t.Errorf("lines: %q", data)
	}
	bytes := &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: 20_000_000, End: 20_000_100}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: bytes}); data != text[20_000_000:20_000_100] {
		t.Errorf("bytes: %q", data)
	}
	match := &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: `^49999\d\d$`}}
	if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: match}); !strings.HasPrefix(data, "4999900\n") || len(data) != 800 {
		t.Errorf("match: %.40q", data)
	}
	if name := filepath.Base(path); len(spooled(t, two.Store, name)) != 0 {
		t.Error("reading parts fetched the whole")
	}
	again := two.project(t, within(&pb.Budget{MaxTokens: 300}, completed(0, text)))
	if got := again.GetCanonical().GetCommand().GetArtifacts()[0].GetPath(); got != path {
		t.Errorf("the path on another machine is %s, not %s", got, path)
	}
	two.uploaded(t)

	g.stop(t)
	third := startSidecar(t, g.launch()) // a start does not need the object store
	_, err := pb.NewArtifactServiceClient(third.conn).ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path})
	if r := wantRefusal(t, err, codes.Unavailable, "OBJECT_STORE_UNAVAILABLE", ""); r.retry <= 0 {
		t.Error("there is no RetryInfo")
	}
	var paths []string
	for i := range 5 {
		c, path := stored(t, third, counted(10_000+i))
		if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 1 << 20, MaxLines: 1_000_000}}); data != counted(10_000+i) {
			t.Errorf("during the outage artifact %d has %d bytes", i, len(data))
		}
		paths = append(paths, path)
	}
	waitFor(t, "the status of an outage", func() bool { return third.objectStatus(t).GetLastError() != "" })
	if st := third.objectStatus(t); st.GetPendingArtifacts() != 5 || st.GetPendingBytes() != 5*48_894+60 {
		t.Errorf("during the outage the status is %v", st)
	}
	if code := third.Terminate(); code != 0 {
		t.Errorf("exit code %d in an outage\n%s", code, third.Log)
	}
	fourth := startSidecar(t, launch{Args: g.launch().Args, Env: g.environment(), Store: third.Store})
	if st := fourth.objectStatus(t); st.GetPendingArtifacts() != 5 {
		t.Errorf("after a restart the status is %v", st)
	}
	g.start(t)
	fourth.uploaded(t)
	for i, path := range paths {
		if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 1 << 20, MaxLines: 1_000_000}}); data != counted(10_000+i) {
			t.Errorf("after the outage artifact %d has %d bytes", i, len(data))
		}
	}
	for path, want := range map[string]struct {
		code   codes.Code
		reason string
	}{
		"s3://bucket/it/" + strings.Repeat("0", 32):    {codes.NotFound, "ARTIFACT_NOT_FOUND"},
		"s3://bucket/other/" + strings.Repeat("0", 32): {codes.PermissionDenied, "PATH_OUTSIDE_STORE"},
		filepath.Join(two.Store, "000", "abcdef"):      {codes.PermissionDenied, "PATH_OUTSIDE_STORE"},
	} {
		_, err := c.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path})
		wantRefusal(t, err, want.code, want.reason, "")
	}
	for _, s := range []*sidecar{one, two, third, fourth} {
		wantNoSecret(t, s)
	}
}

// spooled are the files of an artifact in a store.
func spooled(t *testing.T, store, name string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(store, name[:2]+"?", name[2:]))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestObjectStoreDamage alters an object: it is damage, and said to be.
func TestObjectStoreDamage(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	one, two := startSidecar(t, g.launch()), startSidecar(t, g.launch())
	_, small := stored(t, one, counted(10_000))
	_, large := stored(t, one, counted(300_000))
	one.uploaded(t)
	for _, path := range []string{small, large} {
		f, err := os.OpenFile(filepath.Join(g.root, strings.TrimPrefix(path, "s3://")), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("X"), 3); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = pb.NewArtifactServiceClient(two.conn).ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: path})
		wantRefusal(t, err, codes.DataLoss, "ARTIFACT_CORRUPT", "")
	}
}

// TestObjectStoreCreateOnly lets an object come into being just before the request that makes the same, or the last one
// of those that do: it is not replaced, and the status says so.
func TestObjectStoreCreateOnly(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	target, err := url.Parse("http://" + g.address)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	inBetween := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts, key := r.URL.Query().Has("uploadId"), strings.TrimPrefix(r.URL.Path, "/bucket/")
		if r.Method == http.MethodPost && parts || r.Method == http.MethodPut && !parts && !strings.HasSuffix(key, ".index") {
			g.write(t, key, "somebody else's")
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(inBetween.Close)
	s := startSidecar(t, launch{Env: g.environment(), Args: []string{
		"--object-store=s3://bucket/it?endpoint=" + inBetween.URL, "--max-message-bytes=64MiB", "--max-in-flight-bytes=64MiB",
	}})
	for i, n := range []int{10_000, 3_000_000} { // in one piece, and in parts
		c, path := stored(t, s, counted(n))
		waitFor(t, "the conflict in the log", func() bool {
			return strings.Contains(s.Log.String(), filepath.Base(path)+`","error":"the bucket has another object`)
		})
		if st := s.objectStatus(t); st.GetPendingArtifacts() != uint64(i+1) || !strings.Contains(st.GetLastError(), "another object") {
			t.Errorf("the status is %v", st)
		}
		if content, err := os.ReadFile(filepath.Join(g.root, strings.TrimPrefix(path, "s3://"))); err != nil || string(content) != "somebody else's" {
			t.Errorf("%s was overwritten: %d bytes, %v", path, len(content), err)
		}
		tail := &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 1}}
		if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Selection: tail}); data != fmt.Sprintf("%d\n", n) {
			t.Errorf("the copy in the spool ends with %q", data)
		}
	}
}

// TestObjectStoreKilled kills the sidecar with uploads under way. After a restart everything that was answered arrives.
func TestObjectStoreKilled(t *testing.T) {
	t.Parallel()
	g := newGateway(t)
	store := filepath.Join(t.TempDir(), "store")
	contents := map[string]string{}
	for round := range 3 {
		l := g.launch()
		l.Store = store
		s := startSidecar(t, l)
		for i := range 12 {
			text := counted(20_000*(1+i%5) + 100*round + i)
			_, path := stored(t, s, text)
			contents[path] = text
		}
		time.Sleep(time.Duration(5*round) * time.Millisecond)
		s.Kill()
	}
	l := g.launch()
	l.Store = store
	startSidecar(t, l).uploaded(t)
	if n := g.objects(t); n != len(contents) {
		t.Errorf("the bucket has %d objects, want %d", n, len(contents))
	}
	c := pb.NewArtifactServiceClient(startSidecar(t, g.launch()).conn)
	for path, text := range contents {
		if data, _ := readAll(t, c, &pb.ReadArtifactRequest{Path: path, Budget: &pb.ReadBudget{MaxBytes: 3 << 20, MaxLines: 1_000_000}}); data != text {
			t.Errorf("%s has %d bytes, want %d", path, len(data), len(text))
		}
	}
}

// TestObjectStoreSettings: what cannot work is refused at the start, without any secret in the refusal.
func TestObjectStoreSettings(t *testing.T) {
	t.Parallel()
	keys := (&gateway{}).environment()
	for want, l := range map[string]launch{
		"is not of the form s3://": {Args: []string{"--object-store=https://bucket"}, Env: keys},
		"on another machine":       {Args: []string{"--object-store=s3://bucket?endpoint=http://s3.example"}, Env: keys},
		"holds credentials":        {Args: []string{"--object-store=s3://bucket@bucket"}, Env: keys},
		"no credentials":           {Args: []string{"--object-store=s3://bucket"}},
		"a directory as its spool": {Args: []string{"--object-store=s3://bucket", "--store=memory"}, Env: keys},
	} {
		stderr := refusedStart(t, l)
		if !strings.Contains(stderr, want) || strings.Contains(stderr, gatewaySecret) {
			t.Errorf("want %q:\n%s", want, stderr)
		}
	}
}
