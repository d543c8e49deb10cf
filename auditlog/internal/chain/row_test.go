package chain

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// sealed returns the row of a record in a place of its own.
func sealed(t rapid.TB, r *pb.AuditRecord) *Row {
	t.Helper()
	row, err := NewRow(r)
	if err != nil {
		t.Fatal(err)
	}
	row.Seal("log", Tip{Sequence: 6, Hash: Hash{1, 2, 3}}, 1234567890123)
	return stored(row)
}

// full returns a record that uses every part of a row.
func full() *pb.AuditRecord {
	r := audittest.Projection("session", "call", "request", 4000)
	r.Caller.Address = "127.0.0.1:9"
	r.Rejection = &pb.AuditRejection{Code: "CODE", Reason: "REASON"}
	r.Part, r.Parts = 1, 2
	return r
}

func TestRowKeepsAnyRecord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := audittest.Records().Draw(t, "record")
		row := sealed(t, r)
		got, err := row.Record()
		if err != nil {
			t.Fatal(err)
		}
		row.setPlace(r)
		if diff := cmp.Diff(r, got, protocmp.Transform()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		outline, err := row.Outline()
		r.Output, r.Canonical, r.Compacted, r.Details = nil, nil, nil, nil
		if r.Receipt != nil {
			r.Receipt.Text = ""
		}
		if row.Canonical == nil { // an empty one is among the facts
			outline.Canonical = nil
		}
		if diff := cmp.Diff(r, outline, protocmp.Transform()); diff != "" || err != nil {
			t.Fatalf("outline: %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestRowKeepsReceiptsApart(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*pb.Receipt{"none": nil, "empty": {}, "text": {Text: "a"}, "NUL": {Text: "a\x00b"}} {
		row := sealed(t, &pb.AuditRecord{Receipt: r})
		got, err := row.Record()
		if err != nil || !proto.Equal(got.GetReceipt(), r) || (got.Receipt == nil) != (r == nil) {
			t.Errorf("%s: %v, %v", name, got.GetReceipt(), err)
		}
		if row.Receipt.Valid != (name == "empty" || name == "text") {
			t.Errorf("%s: column %v", name, row.Receipt)
		}
	}
}

// TestRowKeepsEmptyCanonical: an empty result is not the same as none, also where a database has no empty bytes.
func TestRowKeepsEmptyCanonical(t *testing.T) {
	t.Parallel()
	for _, canonical := range []*pb.CanonicalToolResult{nil, {}, {ToolName: "x"}} {
		row := sealed(t, &pb.AuditRecord{Canonical: canonical})
		got, err := row.Record()
		if err != nil || !proto.Equal(got.GetCanonical(), canonical) || (got.Canonical == nil) != (canonical == nil) {
			t.Errorf("%v: %v, %v", canonical, got.GetCanonical(), err)
		}
		if row.Canonical != nil && len(row.Canonical) == 0 {
			t.Errorf("%v: the column has no bytes and is not NULL", canonical)
		}
	}
}

func TestRowDoesNotChangeItsRecord(t *testing.T) {
	t.Parallel()
	r := full()
	before := proto.CloneOf(r)
	sealed(t, r)
	if diff := cmp.Diff(before, r, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

// TestHashCoversEveryBit flips each bit of each hashed part of a row.
func TestHashCoversEveryBit(t *testing.T) {
	t.Parallel()
	row := sealed(t, full())
	if len(row.Payload) == 0 || len(row.Canonical) == 0 || len(row.Facts) == 0 || !row.Receipt.Valid {
		t.Fatal("the record does not use every part")
	}
	check := func(part string) {
		t.Helper()
		if _, err := row.Record(); !errors.Is(err, errHash) {
			t.Errorf("%s: %v", part, err)
		}
	}
	for name, part := range map[string][]byte{"facts": row.Facts, "canonical": row.Canonical, "payload": row.Payload,
		"previous": row.Previous[:], "hash": row.Hash[:]} {
		for bit := range 8 * len(part) {
			part[bit/8] ^= 1 << (bit % 8)
			check(name)
			part[bit/8] ^= 1 << (bit % 8)
		}
	}
	for i := range row.Receipt.String {
		text := row.Receipt.String
		row.Receipt.String = text[:i] + "?" + text[i+1:]
		check("receipt")
		row.Receipt.String = text
	}
	for name, alter := range map[string]func(r *Row){
		"log": func(r *Row) { r.Log += "x" }, "sequence": func(r *Row) { r.Sequence++ }, "time": func(r *Row) { r.At-- },
		"no receipt": func(r *Row) { r.Receipt.Valid = false }, "no canonical": func(r *Row) { r.Canonical = nil },
		"no payload": func(r *Row) { r.Payload = nil },
	} {
		before := *row
		alter(row)
		check(name)
		*row = before
	}
	if _, err := row.Record(); err != nil {
		t.Error(err)
	}
}

func TestHashesOfPartsAreApart(t *testing.T) {
	t.Parallel()
	a, b := &Row{Parts: record.Parts{Facts: []byte("ab")}}, &Row{Parts: record.Parts{Facts: []byte("a"), Canonical: []byte("b")}}
	if none, empty := (&Row{}), (&Row{Parts: record.Parts{Payload: []byte{}}}); a.contentHash() == b.contentHash() || none.contentHash() == empty.contentHash() {
		t.Error("the same hash for other content")
	}
}

// TestAlteredColumnIsNamed alters every column, which no hash covers.
func TestAlteredColumnIsNamed(t *testing.T) {
	t.Parallel()
	row := sealed(t, full())
	targets := row.Columns.ScanTargets()
	for i, name := range record.ColumnNames() {
		before := row.Columns
		switch target := targets[i].(type) {
		case *string:
			*target += "x"
		case *int64:
			*target++
		case interface{ Scan(any) error }:
			if err := target.Scan(int64(99)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := row.Record(); err == nil || !strings.Contains(err.Error(), "column "+name+" ") {
			t.Errorf("%s: %v", name, err)
		}
		row.Columns = before
	}
	row.Artifacts = append(row.Artifacts, "another")
	if _, err := row.Record(); err == nil || !strings.Contains(err.Error(), "artifacts were altered") {
		t.Error(err)
	}
}

func TestArtifactsMayComeInAnyOrder(t *testing.T) {
	t.Parallel()
	r := full()
	r.Payloads = append(r.Payloads, &pb.AuditPayload{Artifact: "b", OriginalArtifact: "a"}, &pb.AuditPayload{Artifact: "b"})
	row := sealed(t, r)
	if want := []string{"/store/abc/call", "a", "b"}; !slices.Equal(row.Artifacts, want) {
		t.Errorf("%q, want %q", row.Artifacts, want)
	}
	slices.Reverse(row.Artifacts)
	if _, err := row.Record(); err != nil {
		t.Error(err)
	}
}

// TestUnreadableRowIsBroken seals rows that a program without this package may have made.
func TestUnreadableRowIsBroken(t *testing.T) {
	t.Parallel()
	bad := []byte("\xff\xff")
	for name, alter := range map[string]func(r *Row){
		"facts":                    func(r *Row) { r.Facts = bad },
		"facts without a receipt":  func(r *Row) { r.Receipt.Valid, r.Facts = false, bad },
		"canonical":                func(r *Row) { r.Canonical = bad },
		"payload":                  func(r *Row) { r.Payload = bad },
		"compressed payload":       func(r *Row) { r.Payload = append([]byte{0x28, 0xb5, 0x2f, 0xfd}, "no frame"...) },
		"a receipt of no receipt":  func(r *Row) { r.Facts = nil },
		"compressed, of bad bytes": func(r *Row) { r.Payload = record.Compress(slices.Repeat(bad, 1000)) },
	} {
		row := sealed(t, full())
		alter(row)
		row.Hash = row.chainHash(row.contentHash())
		if _, err := row.Record(); !errors.Is(err, record.ErrMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewRowRejectsInvalidRecord(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<10+1)
	for name, r := range map[string]*pb.AuditRecord{
		"text of facts":     {ToolName: "\xff"},
		"text of receipt":   {Receipt: &pb.Receipt{Text: "\xff"}},
		"text of canonical": {Canonical: &pb.CanonicalToolResult{ToolName: "\xff"}},
		"text of retention": {Retention: &pb.AuditRetention{LastHash: "\xff"}},
		"text of payload":   {Details: &pb.AuditDetails{ToolInput: "\xff"}},
		"size":              {Details: &pb.AuditDetails{ToolInput: strings.Repeat("x", 64<<20)}},
		"session":           {Call: &pb.CallReference{SessionId: long}},
		"call":              {Call: &pb.CallReference{CallId: long}},
		"request":           {RequestId: long},
		"tool":              {ToolName: long},
		"artifact":          {Payloads: []*pb.AuditPayload{{Artifact: long}}},
	} {
		if _, err := NewRow(r); !errors.Is(err, auditlog.ErrInvalidRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewRow(&pb.AuditRecord{RequestId: long[1:]}); err != nil {
		t.Errorf("the longest request id: %v", err)
	}
}

func TestTimesAreReadBackAndSort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 250_000_000_000_000).Draw(t, "ms") // to the year 9892
		text := FormatTime(ms)
		if got, err := ParseTime(text); got != ms || err != nil {
			t.Fatalf("%q is %d, want %d, %v", text, got, ms, err)
		}
		if later := FormatTime(ms + 1); later <= text {
			t.Fatalf("%q after %q", later, text)
		}
	})
	if _, err := ParseTime("2026-01-02 03:04:05"); err == nil {
		t.Error("another layout is read")
	}
}

func TestHashText(t *testing.T) {
	t.Parallel()
	h := Hash{0xab, 31: 0xcd}
	if got, err := ParseHash(h.String()); got != h || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	digits := strings.Repeat("0", 64)
	for _, text := range []string{"", "blake3:", digits, "sha256:" + digits, "blake3:" + digits[1:], "blake3:" + digits + "00", "blake3:x" + digits[1:], "blake3:" + digits[2:]} {
		if h, err := ParseHash(text); err == nil || h != (Hash{}) {
			t.Errorf("%q is %v", text, h)
		}
	}
}

func TestHashScansAnything(t *testing.T) {
	t.Parallel()
	want := Hash{1, 2, 3}
	for name, c := range map[string]struct {
		value any
		want  Hash
	}{
		"hash": {want[:], want}, "NULL": {nil, Hash{}}, "text": {"x", Hash{}}, "short": {want[1:], Hash{}}, "long": {append(want[:], 0), Hash{}},
	} {
		h := Hash{9}
		if err := h.Scan(c.value); err != nil || h != c.want {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
}

func TestSmallAppendsAndNotices(t *testing.T) {
	t.Parallel()
	row := func(r *pb.AuditRecord) *Row { return sealed(t, r) }
	large := audittest.Projection("s", "c", "", 4*smallBytes)
	retention := &pb.AuditRecord{Kind: pb.AuditKind_AUDIT_KIND_RETENTION}
	for name, c := range map[string]struct {
		a             Append
		notice, small bool
	}{
		"rejection and retention":  {Append{Rows: []*Row{row(rejection()), row(retention)}}, true, true},
		"projection":               {Append{Rows: []*Row{row(full())}}, false, true},
		"rejection and projection": {Append{Rows: []*Row{row(rejection()), row(full())}}, false, true},
		"large":                    {Append{Rows: []*Row{row(large)}}, false, false},
		"exactly small":            {Append{Rows: []*Row{{Parts: record.Parts{Facts: make([]byte, smallBytes)}}}}, false, true},
		"one byte more":            {Append{Rows: []*Row{{Parts: record.Parts{Facts: make([]byte, smallBytes), Payload: []byte{1}}}}}, false, false},
	} {
		if c.a.IsNotice() != c.notice || c.a.IsSmall() != c.small {
			t.Errorf("%s: notice %v, small %v", name, c.a.IsNotice(), c.a.IsSmall())
		}
	}
}
