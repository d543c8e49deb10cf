//go:build linux

package faults_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// journalDamages are what somebody may do to a sealed file of the journal. All of it is named, but for a swap, after which every byte is
// there.
var journalDamages = map[string]func(path string) error{
	"deleted":   os.Remove,
	"zeros":     zeroMiddle,
	"truncated": func(path string) error { return halve(path) },
	"swapped":   swapBlocks,
}

// zeroMiddle writes 64 zeros in the middle of a file.
func zeroMiddle(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	clear(content[len(content)/2:][:64])
	return rewrite(path, content)
}

func halve(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return rewrite(path, content[:len(content)/2])
}

// swapBlocks swaps the first and the last block of a sealed file, as internal/journal/format.md has them.
func swapBlocks(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var blocks [][2]int
	for at := 0; at < len(content); {
		kind, end := binary.LittleEndian.Uint32(content[at:]), at+8+int(binary.LittleEndian.Uint32(content[at+4:]))
		if kind == 0x184d2a51 && binary.LittleEndian.Uint32(content[at+16:]) > 0 {
			end += int(binary.LittleEndian.Uint32(content[at+20:]))
			blocks = append(blocks, [2]int{at, end})
		}
		at = end
	}
	if len(blocks) < 2 {
		return fmt.Errorf("%s has %d blocks", path, len(blocks))
	}
	a, b := blocks[0], blocks[len(blocks)-1]
	return rewrite(path, slices.Concat(content[:a[0]], content[b[0]:b[1]], content[a[1]:b[0]], content[a[0]:a[1]], content[b[1]:]))
}

// sealedStore returns a store of a sidecar that has ended, with sealed files of both halves of the journal, and the artifacts of session s.
func sealedStore(t *testing.T) (store string, artifacts map[string]string) {
	t.Helper()
	s, random := startSidecar(t, launch{}), rand.New(rand.NewPCG(7, 8))
	artifacts = map[string]string{}
	for i := range 500 {
		var text strings.Builder
		for range 80 {
			fmt.Fprintf(&text, "%016x\n", random.Uint64())
		}
		answer, err := s.Project(t.Context(), &pb.ProjectRequest{
			Call:   &pb.CallReference{SessionId: "s", CallId: fmt.Sprint("call", i)},
			Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200}}},
			Output: command(&pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text.String())}}),
		})
		must(t, err)
		artifacts[artifactOf(answer)] = text.String()
	}
	waitFor(t, "both halves to be sealed", func() bool {
		return len(sealedFiles(t, s.Store, "records")) > 0 && len(sealedFiles(t, s.Store, "catalog")) > 0
	})
	s.Signal(syscall.SIGTERM)
	s.Wait()
	return s.Store, artifacts
}

// sealedFiles returns the sealed files of a half of the journal.
func sealedFiles(t *testing.T, store, half string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(store, "journal", half, "*.zst"))
	must(t, err)
	return files
}

// findingsOf returns what VerifyLog finds, and the counts.
func (s *sidecar) findingsOf(t *testing.T) (findings []*pb.InconsistentRecord, counts *pb.VerifiedLog) {
	t.Helper()
	call, err := s.audit.VerifyLog(t.Context(), &pb.VerifyLogRequest{})
	must(t, err)
	for {
		answer, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return findings, counts
		}
		must(t, err)
		if f := answer.GetInconsistent(); f != nil {
			findings = append(findings, f)
		} else {
			counts = answer.GetVerified()
		}
	}
}

// TestDamagedJournal is L04 for both halves of the journal, with the indexes and without: each damage is named by a verification and by a
// salvage, exactly where it is, and the owner of artifacts reads all of them, by the paths that they had where the store was before. Of the catalog that is so as long as one of the index and the
// records is there.
func TestDamagedJournal(t *testing.T) {
	leg(t)
	whole, artifacts := sealedStore(t)
	for _, half := range []string{"records", "catalog"} {
		for how, damage := range journalDamages {
			for _, indexes := range []string{"kept", "lost"} {
				t.Run(strings.Join([]string{half, how, "indexes " + indexes}, ", "), func(t *testing.T) {
					store := filepath.Join(t.TempDir(), "store")
					if out, err := exec.CommandContext(t.Context(), "cp", "-a", whole, store).CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
					must(t, damage(sealedFiles(t, store, half)[0]))
					if indexes == "lost" {
						lost, err := filepath.Glob(filepath.Join(store, "*.db*"))
						must(t, err)
						for _, path := range lost {
							must(t, os.Remove(path))
						}
					}
					wantSalvageNames(t, store, half, how != "swapped")
					s := startSidecar(t, launch{Store: store})
					wantOwnedBy(t, s, "s", artifacts)
					findings, counts := s.findingsOf(t)
					if found := counts.GetInconsistent() > 0; found != (how != "swapped") || (len(findings) > 0) != found {
						t.Errorf("%d hold, %d do not: %v", counts.GetIntact(), counts.GetInconsistent(), findings)
					}
					for _, f := range findings {
						if ofCatalog := strings.Contains(f.GetReason(), " of the catalog: "); ofCatalog != (half == "catalog") || ofCatalog != (f.GetSequence() == 0) {
							t.Errorf("the damage is in the %s: %v", half, f)
						}
					}
				})
			}
		}
	}
}

// wantOwnedBy fails t unless a session, and no other one, reads its artifacts.
func wantOwnedBy(t *testing.T, s *sidecar, session string, artifacts map[string]string) {
	t.Helper()
	unread := 0
	for path, text := range artifacts {
		req := &pb.ReadArtifactRequest{Path: path, SessionId: session, Budget: &pb.ReadBudget{MaxBytes: 1 << 20, MaxLines: 100_000}}
		page, err := s.artifacts.ReadArtifact(t.Context(), req)
		if err != nil || string(page.GetData()) != text {
			if unread++; unread == 1 {
				t.Errorf("%s: %d bytes, %v", path, len(page.GetData()), err)
			}
		}
		req.SessionId = "another"
		if _, err := s.artifacts.ReadArtifact(t.Context(), req); err == nil {
			t.Errorf("another session reads %s", path)
		}
	}
	if unread > 0 {
		t.Errorf("%d of %d artifacts are not read", unread, len(artifacts))
	}
}

// wantSalvageNames fails t unless a salvage names damage of a half, and of that half alone, with exit code 1; none with 0.
func wantSalvageNames(t *testing.T, store, half string, damaged bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), sidecarBinary(t), "audit", "salvage", "--store", store, filepath.Join(t.TempDir(), "salvaged")).CombinedOutput()
	code := 0
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		code = exit.ExitCode()
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		named["records"] = named["records"] || strings.HasPrefix(line, "record ")
		named["catalog"] = named["catalog"] || strings.HasPrefix(line, "change of the catalog ")
	}
	if (code == 1) != damaged || code > 1 || named[half] != damaged || named["records"] && named["catalog"] {
		t.Errorf("salvage exits with %d: %s", code, out)
	}
}

// TestMovedStore moves a store whose sidecar has ended: what receipts name there is read, and records hold as they were answered.
func TestMovedStore(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{})
	text := numbered(3000)
	answer, err := s.inOneMessage(t.Context(), text)
	must(t, err)
	s.Signal(syscall.SIGTERM)
	s.Wait()
	store := filepath.Join(t.TempDir(), "elsewhere")
	must(t, os.Rename(s.Store, store))
	s = startSidecar(t, launch{Store: store})
	if got, err := s.read(t.Context(), artifactOf(answer)); err != nil || got != text {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
	verified, err := s.audit.VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: 1})
	if err != nil || !verified.GetHolds() || !verified.GetComplete() {
		t.Errorf("%v, %v", verified, err)
	}
	again, err := s.inOneMessage(t.Context(), text)
	must(t, err)
	if path := artifactOf(again); !strings.HasPrefix(path, store+"/") {
		t.Errorf("a new receipt names %s", path)
	}
}

// TestLostJournal deletes what has the records of a sidecar that was killed before anything was sealed: a verification names each record, as
// long as the head file or an index is there, and new ones have numbers behind them.
func TestLostJournal(t *testing.T) {
	leg(t)
	for _, lost := range []string{"journal/segments/*", "journal"} {
		t.Run(lost, func(t *testing.T) {
			s := startSidecar(t, launch{})
			for range 5 {
				_, err := s.inOneMessage(t.Context(), numbered(3))
				must(t, err)
			}
			_, before := s.findingsOf(t) // the indexes have all records
			s.Signal(syscall.SIGKILL)
			s.Wait()
			paths, err := filepath.Glob(filepath.Join(s.Store, lost))
			must(t, err)
			for _, path := range paths {
				must(t, os.RemoveAll(path))
			}
			s = startSidecar(t, launch{Store: s.Store})
			_, err = s.inOneMessage(t.Context(), numbered(3))
			must(t, err)
			findings, counts := s.findingsOf(t)
			if counts.GetLogId() != before.GetLogId() || counts.GetIntact() != 1 || counts.GetInconsistent() < 5 || counts.GetHeadSequence() != 6 || len(findings) == 0 {
				t.Errorf("before: %v, after: %v, %v", before, counts, findings)
			}
		})
	}
}
