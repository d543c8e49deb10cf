package integration_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	_ "modernc.org/sqlite" // to alter a log

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func (s *sidecar) audit() pb.AuditServiceClient { return pb.NewAuditServiceClient(s.conn) }

// auditProvocations have the refusals of records, of request ids and of registered values.
func auditProvocations() []provocation {
	const invalid = "INVALID_ARGUMENT"
	registerOf := func(session string, secrets ...*pb.RegisteredSecret) provoke {
		return func(t *testing.T, s *sidecar) error {
			_, err := pb.NewAccessServiceClient(s.conn).RegisterSecrets(t.Context(), &pb.RegisterSecretsRequest{SessionId: session, Secrets: secrets})
			return err
		}
	}
	list := func(req *pb.ListRecordsRequest) provoke {
		return func(t *testing.T, s *sidecar) error {
			_, err := s.audit().ListRecords(t.Context(), req)
			return err
		}
	}
	secret := &pb.RegisteredSecret{Name: "NAME", Value: []byte("a value of some length")}
	requiring := completed(0, canary)
	requiring.Policy = &pb.ProjectionPolicy{Redaction: &pb.RedactionPolicy{RequireSet: "of another start"}}
	return []provocation{
		{listed{"Project", "ALREADY_EXISTS", "REQUEST_ID_REUSED"}, "", withReusedID},
		{listed{"Project", "FAILED_PRECONDITION", "SECRETS_UNKNOWN"}, "", projectOf(requiring)},
		{listed{"Project", "FAILED_PRECONDITION", "AUDIT_LOG_FAILED"}, "", withFailedLog},
		{listed{"any", "FAILED_PRECONDITION", "AUDIT_LOG_FAILED"}, "", withFailedLog},
		{listed{"Project", "FAILED_PRECONDITION", "AUDIT_DISABLED"}, "", withIDButNoLog},
		{listed{"any", "FAILED_PRECONDITION", "AUDIT_DISABLED"}, "", readWithoutLog},
		{listed{"Project", "UNAVAILABLE", "AUDIT_LOG_UNAVAILABLE"}, "", withLostDatabase},
		{listed{"any", "UNAVAILABLE", "AUDIT_LOG_UNAVAILABLE"}, "", withLostDatabase},
		{listed{"GetRecord", invalid, "FIELD_MISSING"}, "sequence", getOf(0)},
		{listed{"GetRecord", "NOT_FOUND", "RECORD_NOT_FOUND"}, "", getOf(1 << 60)},
		{listed{"GetRecord", "DATA_LOSS", "AUDIT_CHAIN_BROKEN"}, "", withAlteredLog},
		{listed{"ListRecords", invalid, "NAME_INVALID"}, "session_id", list(&pb.ListRecordsRequest{SessionId: "a b"})},
		{listed{"ListRecords", invalid, "FIELD_TOO_LONG"}, "call_id", list(&pb.ListRecordsRequest{CallId: strings.Repeat("x", 257)})},
		{listed{"ListRecords", invalid, "FIELD_OUT_OF_BOUNDS"}, "from_time", list(&pb.ListRecordsRequest{FromTime: &timestamppb.Timestamp{Nanos: -1}})},
		{listed{"ListRecords", invalid, "ENUM_UNKNOWN"}, "kinds[0]", list(&pb.ListRecordsRequest{Kinds: []pb.AuditKind{99}})},
		{listed{"ListRecords", invalid, "PAGE_TOKEN_INVALID"}, "page_token", list(&pb.ListRecordsRequest{PageToken: "?"})},
		{listed{"VerifyLog", invalid, "FIELD_OUT_OF_BOUNDS"}, "head_hash", verifyWithHalfAHead},
		{listed{"RegisterSecrets", invalid, "FIELD_OUT_OF_BOUNDS"}, "secrets", registerOf("", make([]*pb.RegisteredSecret, 10_001)...)},
		{listed{"RegisterSecrets", invalid, "FIELD_TOO_LONG"}, "session_id", registerOf(strings.Repeat("x", 129), secret)},
		{listed{"RegisterSecrets", invalid, "NAME_INVALID"}, "secrets[0].name", registerOf("", &pb.RegisteredSecret{Name: "a b", Value: secret.GetValue()})},
		{listed{"RegisterSecrets", invalid, "SECRET_INVALID"}, "secrets[0].value", registerOf("", &pb.RegisteredSecret{Name: "N", Value: []byte("a")})},
		{listed{"RegisterSecrets", "PERMISSION_DENIED", "SESSION_MISMATCH"}, "", registerWhileConfined},
		{listed{"RegisterSecrets", "RESOURCE_EXHAUSTED", "QUOTA_SESSION"}, "", registerTooMuch},
	}
}

// registerTooMuch registers as much as one session may for one session after the other.
func registerTooMuch(t *testing.T, _ *sidecar) error {
	if testing.Short() {
		t.Skip("skipped with -short: it registers 64 MiB of secrets; `make integration` runs it")
	}
	client := pb.NewAccessServiceClient(startSidecar(t, launch{}).conn)
	req, random := &pb.RegisterSecretsRequest{}, rand.NewChaCha8([32]byte{})
	for i := range 64 {
		value := make([]byte, 8<<10)
		_, _ = random.Read(value) // it never fails
		req.Secrets = append(req.Secrets, &pb.RegisteredSecret{Name: fmt.Sprintf("V%d", i), Value: []byte(hex.EncodeToString(value))})
	}
	for i := range 80 {
		req.SessionId = fmt.Sprintf("s%d", i)
		if _, err := client.RegisterSecrets(t.Context(), req); err != nil {
			return err
		}
	}
	return nil
}

func getOf(sequence uint64) provoke {
	return func(t *testing.T, s *sidecar) error {
		_, err := s.audit().GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: sequence})
		return err
	}
}

func withReusedID(t *testing.T, s *sidecar) error {
	req := completed(0, canary)
	req.RequestId = "reused"
	s.project(t, req)
	other := completed(0, canary+"x")
	other.RequestId = "reused"
	_, err := s.Project(t.Context(), other)
	return err
}

// withFailedLog has a log whose file is deleted while it is written to.
func withFailedLog(t *testing.T, _ *sidecar) error {
	store := filepath.Join(t.TempDir(), "store")
	s := startSidecar(t, launch{Store: store})
	if err := os.Remove(filepath.Join(store, "journal", "segments", "0000000001.segment")); err != nil {
		t.Fatal(err)
	}
	_, err := s.Project(t.Context(), completed(0, canary))
	if r := refusalOf(t, err); r.reason != "AUDIT_LOG_FAILED" {
		t.Errorf("the first call is refused with %s", r.reason)
	}
	if _, err := s.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{}); err != nil {
		t.Errorf("what needs no record is refused: %v", err)
	}
	_, err = s.Project(t.Context(), completed(0, "small"))
	return err
}

func withIDButNoLog(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--audit=off"}})
	s.project(t, completed(0, canary))
	req := completed(0, canary)
	req.RequestId = "r"
	_, err := s.Project(t.Context(), req)
	return err
}

func readWithoutLog(t *testing.T, _ *sidecar) error {
	s := startSidecar(t, launch{Args: []string{"--audit=off"}})
	_, err := s.audit().ListRecords(t.Context(), &pb.ListRecordsRequest{})
	return err
}

// withLostDatabase has its log in a database to which the connection is cut, and nothing in which records wait.
func withLostDatabase(t *testing.T, _ *sidecar) error {
	dsn, cut := throughProxy(t)
	s := startSidecar(t, launch{Store: "memory", Args: []string{"--audit=postgres"}, Env: []string{"TOOLRESULT_AUDIT_DSN=" + dsn}})
	s.project(t, completed(0, canary))
	cut()
	_, err := s.Project(t.Context(), completed(0, canary))
	return err
}

// throughProxy is a way to the database of TOOLRESULT_POSTGRES that can be cut.
func throughProxy(t *testing.T) (dsn string, cut func()) {
	t.Helper()
	given := os.Getenv("TOOLRESULT_POSTGRES")
	if given == "" {
		leg(t, false, "no PostgreSQL: run with auditlog/postgres/start.sh run")
	}
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	settings := map[string]string{}
	for _, word := range strings.Fields(given) {
		key, value, _ := strings.Cut(word, "=")
		settings[key] = value
	}
	var conns []net.Conn
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(settings["host"], ".s.PGSQL.5432"))
			if err != nil {
				_ = conn.Close()
				continue
			}
			conns = append(conns, conn, server)
			go func() { _, _ = io.Copy(server, conn); _ = server.Close() }()
			go func() { _, _ = io.Copy(conn, server); _ = conn.Close() }()
		}
	}()
	return strings.Replace(given, "host="+settings["host"], "host="+dir, 1), func() {
		_ = l.Close()
		for _, c := range conns {
			_ = c.Close()
		}
	}
}

// withAlteredLog reads a record that somebody altered while the sidecar was not there.
func withAlteredLog(t *testing.T, _ *sidecar) error {
	store := filepath.Join(t.TempDir(), "store")
	t.Run("a record is made", func(t *testing.T) { startSidecar(t, launch{Store: store}).project(t, completed(0, canary)) })
	segment := readSegment(t, store)
	segment.data(1)[100] ^= 1
	segment.seal(1)
	segment.write(t)
	s := startSidecar(t, launch{Store: store})
	return getOf(1)(t, s)
}

func verifyWithHalfAHead(t *testing.T, s *sidecar) error {
	_, _, err := s.verifyLog(t, &pb.VerifyLogRequest{HeadSequence: 1})
	return err
}

// verifyLog follows the chain.
func (s *sidecar) verifyLog(t *testing.T, req *pb.VerifyLogRequest) (broken []*pb.InconsistentRecord, verified *pb.VerifiedLog, err error) {
	t.Helper()
	call, err := s.audit().VerifyLog(t.Context(), req)
	for err == nil {
		var resp *pb.VerifyLogResponse
		if resp, err = call.Recv(); resp.GetInconsistent() != nil {
			broken = append(broken, resp.GetInconsistent())
		} else if resp.GetVerified() != nil {
			verified = resp.GetVerified()
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return broken, verified, err
}

func registerWhileConfined(t *testing.T, s *sidecar) error {
	_, err := pb.NewAccessServiceClient(s.conn).RegisterSecrets(confinedTo(t, s, "a"), &pb.RegisterSecretsRequest{SessionId: "b"})
	return err
}

// recordOf makes a call, and returns the record of its answer.
func recordOf(t *testing.T, s *sidecar, call func(grpc.CallOption) error) *pb.AuditRecord {
	t.Helper()
	var trailer metadata.MD
	if err := call(grpc.Trailer(&trailer)); err != nil {
		t.Fatal(err)
	}
	var log, hash string
	var sequence uint64
	if _, err := fmt.Sscan(strings.Join(trailer.Get("toolresult-audit"), " "), &log, &sequence, &hash); err != nil {
		t.Fatalf("the trailer is %v: %v", trailer, err)
	}
	resp, err := s.audit().GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: sequence})
	if err != nil {
		t.Fatal(err)
	}
	if r := resp.GetRecord(); r.GetLogId() != log || r.GetHash() != hash {
		t.Errorf("the trailer is %v, and the record has %s %s", trailer, r.GetLogId(), r.GetHash())
	}
	return resp.GetRecord()
}

// A call has one record with all that the contract says, which can be verified, also after a start.
func TestAudit(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store")
	s := startSidecar(t, launch{Store: store})
	req := completed(1, numbered(9000))
	req.Call = &pb.CallReference{SessionId: "session-1", CallId: "call-1"}
	req.Audit = &pb.AuditDetails{ToolInput: `{"cmd":"make"}`, ToolDuration: durationpb.New(1200 * time.Millisecond), Trust: map[string]string{"source": "shell"}}
	var resp *pb.ProjectResponse
	record := recordOf(t, s, func(o grpc.CallOption) (err error) {
		resp, err = s.Project(t.Context(), req, o)
		return err
	})
	if len(record.GetCanonical().GetCommand().GetStdoutSource().GetSegments()) == 0 {
		t.Error("the record does not say which lines were shown, and why")
	}
	segments := protocmp.IgnoreFields(&pb.SourceFacts{}, "segments") // of which the record has more
	for what, diff := range map[string]string{
		"canonical": cmp.Diff(resp.GetCanonical(), record.GetCanonical(), protocmp.Transform(), segments),
		"receipt":   cmp.Diff(resp.GetReceipt(), record.GetReceipt(), protocmp.Transform()),
		"details":   cmp.Diff(req.GetAudit(), record.GetDetails(), protocmp.Transform()),
		"call":      cmp.Diff(req.GetCall(), record.GetCall(), protocmp.Transform()),
	} {
		if diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	artifact := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if p := record.GetPayloads()[0]; p.GetField() != "output.command.stdout" || p.GetArtifact() != artifact || p.GetBytes() != uint64(len(numbered(9000))) {
		t.Errorf("the payload is %v", p)
	}
	c, v := record.GetCaller(), record.GetVersions()
	if int(c.GetUid()) != os.Getuid() || int(c.GetPid()) != os.Getpid() || time.Since(c.GetPidStartedAt().AsTime()) > time.Hour || v.GetRenderer() == 0 || v.GetProjector() == 0 || v.GetServer() == "" ||
		record.GetMethod() != pb.ToolResultService_Project_FullMethodName || record.GetElapsed().AsDuration().Microseconds() == 0 || record.GetPolicyDigest() == "" {
		t.Errorf("the record is %v", record)
	}
	head := fmt.Sprintf("%s %d %s", record.GetLogId(), record.GetSequence(), record.GetHash())
	if code := s.Terminate(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	s = startSidecar(t, launch{Store: store})
	verified, err := s.audit().VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: record.GetSequence()})
	if err != nil || !verified.GetHolds() || !verified.GetComplete() || len(verified.GetFindings()) < 4 {
		t.Errorf("%v, %v", verified, err)
	}
	for name, req := range map[string]*pb.ListRecordsRequest{
		"session": {SessionId: "session-1"}, "call": {SessionId: "session-1", CallId: "call-1"}, "tool": {ToolName: req.GetOutput().GetToolName()},
		"artifact": {Artifact: artifact}, "kind": {Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}}, "time": {FromTime: timestamppb.New(time.Unix(1577836800, 0))},
	} {
		if got, err := s.audit().ListRecords(t.Context(), req); err != nil || len(got.GetRecords()) != 1 || got.GetRecords()[0].GetCanonical() != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	at := "--server=unix://" + s.Socket
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"list", at}, "session-1"}, {[]string{"show", at, "-o", "receipt", "1"}, resp.GetReceipt().GetText()},
		{[]string{"verify", at, "1"}, "record 1: holds\n"}, {[]string{"verify", at, "--all", "--head", head}, "1 records hold, 0 do not"},
		{[]string{"export", at}, `"call_id":"call-1"`},
	} {
		if r := cli(t, environment(t), nil, append([]string{"audit"}, c.args...)...); r.code != 0 || !strings.Contains(r.stdout, c.want) {
			t.Errorf("audit %v: %d %.2000s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
}

// A refused call has one short record, without anything of its payload.
func TestRefusalsAreRecorded(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	req := completed(0, canary)
	req.Output.ToolName = ""
	req.Call = &pb.CallReference{SessionId: "session-1", CallId: "call-1"}
	_, err := s.Project(t.Context(), req)
	wantRefusal(t, err, codes.InvalidArgument, "FIELD_MISSING", "output.tool_name")
	got, err := s.audit().ListRecords(t.Context(), &pb.ListRecordsRequest{})
	if err != nil || len(got.GetRecords()) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	record := got.GetRecords()[0]
	want := &pb.AuditRejection{Code: "INVALID_ARGUMENT", Reason: "FIELD_MISSING", Field: "output.tool_name"}
	if diff := cmp.Diff(want, record.GetRejection(), protocmp.Transform()); diff != "" || record.GetCall().GetCallId() != "call-1" {
		t.Errorf("%v\n%s", record, diff)
	}
	if encoded, _ := proto.Marshal(record); strings.Contains(string(encoded), canary) || len(encoded) > 1024 {
		t.Errorf("the record has %d bytes: %v", len(encoded), record)
	}
}

// Whoever is refused over and over is counted, and fills no disk.
func TestManyRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	const calls, burst, perSecond = 1500, 500, 50 // those that have records each
	began := time.Now()
	for range calls {
		if _, err := s.Project(t.Context(), &pb.ProjectRequest{}); err == nil {
			t.Fatal("no refusal")
		}
	}
	most := burst + int(perSecond*time.Since(began).Seconds()) + 1 // on a slow machine that is all
	counted := uint64(0)
	req := &pb.ListRecordsRequest{PageSize: 1000}
	var records int
	for {
		got, err := s.audit().ListRecords(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got.GetRecords() {
			records++
			counted += 1 + r.GetRejection().GetUnrecorded()
		}
		if req.PageToken = got.GetNextPageToken(); req.GetPageToken() == "" {
			break
		}
	}
	if counted > calls || counted < calls/3 || records > most {
		t.Errorf("%d records count %d of %d refusals", records, counted, calls)
	}
}

// What is altered, removed or cut off the end while nobody looks is found.
func TestAlteredLogsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alter func(s *segmentFile)
		first uint64
	}{
		"nothing": {func(*segmentFile) {}, 0},
		"a record is edited": {func(s *segmentFile) {
			s.data(2)[100] ^= 1
			s.seal(2)
		}, 2},
		"a byte is damaged":        {func(s *segmentFile) { s.data(2)[100] ^= 1 }, 2},
		"a record is removed":      {func(s *segmentFile) { s.remove(2) }, 2},
		"the end is removed":       {func(s *segmentFile) { s.remove(4) }, 4},
		"the beginning is removed": {func(s *segmentFile) { s.remove(1) }, 1},
		"a record is another one": {func(s *segmentFile) {
			copy(s.data(3), s.data(2))
			s.seal(3)
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := filepath.Join(t.TempDir(), "store")
			var head *pb.AuditRecord
			t.Run("records are made", func(t *testing.T) {
				s := startSidecar(t, launch{Store: store})
				for i := range 4 {
					head = recordOf(t, s, func(o grpc.CallOption) error {
						_, err := s.Project(t.Context(), completed(0, fmt.Sprint(i)), o)
						return err
					})
				}
			})
			segment := readSegment(t, store)
			c.alter(segment)
			segment.write(t)
			s := startSidecar(t, launch{Store: store})
			broken, verified, err := s.verifyLog(t, &pb.VerifyLogRequest{HeadSequence: head.GetSequence(), HeadHash: head.GetHash()})
			if err != nil {
				t.Fatal(err)
			}
			if c.first == 0 {
				if len(broken) > 0 || verified.GetIntact() != 4 || verified.GetHeadHash() != head.GetHash() {
					t.Errorf("%v, %v", broken, verified)
				}
				return
			}
			if len(broken) == 0 || broken[0].GetSequence() != c.first || verified.GetInconsistent() == 0 {
				t.Errorf("%v, %v; want record %d", broken, verified, c.first)
			}
			if r := cli(t, environment(t), nil, "audit", "verify", "--server=unix://"+s.Socket); r.code != 1 {
				t.Errorf("audit verify: %d %s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// What is altered in the index is found, and is right again when the index is made again.
func TestAlteredIndexIsFound(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store")
	t.Run("records are made", func(t *testing.T) {
		s := startSidecar(t, launch{Store: store})
		for i := range 4 {
			s.project(t, completed(0, fmt.Sprint(i)))
		}
	})
	for statement, first := range map[string]uint64{
		"UPDATE rows SET uid = 12345 WHERE sequence = 3": 3, "DELETE FROM rows WHERE sequence = 2": 2,
		"INSERT INTO artifacts VALUES (1, '/somewhere')": 1,
	} {
		t.Run("the index is made: "+statement, func(t *testing.T) {
			if broken, _, err := startSidecar(t, launch{Store: store}).verifyLog(t, &pb.VerifyLogRequest{}); err != nil || len(broken) > 0 {
				t.Fatalf("%v, %v", broken, err)
			}
		})
		alterIndex(t, store, "records.db", statement)
		t.Run(statement, func(t *testing.T) {
			s := startSidecar(t, launch{Store: store})
			broken, verified, err := s.verifyLog(t, &pb.VerifyLogRequest{})
			if err != nil || len(broken) != 1 || broken[0].GetSequence() != first || verified.GetIntact() != 3 {
				t.Errorf("%v, %v, %v; want record %d", broken, verified, err, first)
			}
		})
		if err := os.Remove(filepath.Join(store, "records.db")); err != nil {
			t.Fatal(err)
		}
	}
}

// Nobody else can read the log.
func TestLogIsPrivate(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Shell: "umask 0"})
	s.project(t, completed(0, "x"))
	for name, mode := range map[string]uint32{
		"records.db": 0o600, "records.db-wal": 0o600, "records.db-shm": 0o600, "catalog.db": 0o600, "journal": 0o700, "journal/records": 0o700,
		"journal/segments/0000000001.segment": 0o600, "journal/OPEN": 0o400,
	} {
		var stat unix.Stat_t
		if err := unix.Stat(filepath.Join(s.Store, name), &stat); err != nil || uint32(stat.Mode)&0o777 != mode {
			t.Errorf("%s: mode %o, %v", name, stat.Mode&0o777, err)
		}
	}
}
