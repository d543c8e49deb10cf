//go:build linux

package faults_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// damages are what somebody may do to an artifact behind our back. Each is followed by every way to read.
var damages = map[string]func(path, other string) error{
	"truncated":      func(path, _ string) error { return os.Truncate(path, 3000) },
	"empty (J13)":    func(path, _ string) error { return os.Truncate(path, 0) },
	"one byte less":  func(path, _ string) error { return resize(path, -1) },
	"one byte more":  func(path, _ string) error { return resize(path, 1) },
	"first bit":      func(path, _ string) error { return flip(path, 0) },
	"last bit":       func(path, _ string) error { return flip(path, -1) },
	"replaced":       func(path, other string) error { return replace(path, other) },
	"replaced whole": func(path, other string) error { return errors.Join(replace(path, other), replaceIndex(path, other)) },
	"deleted":        func(path, _ string) error { return os.Remove(path) },
	"a link":         func(path, other string) error { return errors.Join(os.Remove(path), os.Symlink(other, path)) },
	"a link out":     func(path, _ string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path)) },
	"a directory":    func(path, _ string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	"a pipe":         func(path, _ string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
	"another owner":  func(path, _ string) error { return os.Chown(path, 12345, -1) },
}

// harmless are changes after which an artifact must still be read as it was put.
var harmless = map[string]func(path, other string) error{
	"mode 0666":       func(path, _ string) error { return os.Chmod(path, 0o666) },
	"mode 0":          func(path, _ string) error { return os.Chmod(path, 0) }, // of no account for root
	"index deleted":   func(path, _ string) error { return ignoring(os.ErrNotExist, os.Remove(path+".index")) },
	"index empty":     func(path, _ string) error { return ignoring(os.ErrNotExist, os.Truncate(path+".index", 0)) },
	"index cut":       func(path, _ string) error { return ignoring(os.ErrNotExist, os.Truncate(path+".index", 100)) },
	"index bit":       func(path, _ string) error { return ignoring(os.ErrNotExist, flip(path+".index", 60)) },
	"index of others": func(path, other string) error { return replaceIndex(path, other) },
	"index a link":    func(path, _ string) error { return relink(path+".index", "/etc/passwd") },
}

func ignoring(what, err error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

func resize(path string, by int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()+by)
}

// flip flips a bit of the byte at an offset; a negative one counts from the end.
func flip(path string, at int) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[(at+len(content))%len(content)] ^= 4
	return rewrite(path, content)
}

func replace(path, by string) error {
	content, err := os.ReadFile(by)
	if err != nil {
		return err
	}
	return rewrite(path, content)
}

func replaceIndex(path, by string) error {
	return ignoring(os.ErrNotExist, replace(path+".index", by+".index"))
}

func rewrite(path string, content []byte) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o400)
}

func relink(path, to string) error {
	return errors.Join(ignoring(os.ErrNotExist, os.Remove(path)), os.Symlink(to, path))
}

// TestDamagedArtifacts is J12 and J13: whatever is done to an artifact, what ReadArtifact answers is never other
// bytes than those that were put.
func TestDamagedArtifacts(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{})
	for size, lines := range map[string]int{"small": 3000, "with an index": 80_000} {
		texts := 0
		// Two texts of one size, so that only their content tells them apart.
		pair := func(t *testing.T) (text, path, other string) {
			t.Helper()
			texts++
			store := func(side string) (string, string) {
				text := strings.Repeat(fmt.Sprintf("line of %s %03d\n", side, texts), lines)
				answer, err := s.inAStream(t.Context(), text)
				must(t, err)
				return text, artifactOf(answer)
			}
			text, path = store("this")
			_, other = store("that")
			if _, err := os.Lstat(path + ".index"); (err == nil) != (size == "with an index") {
				t.Fatalf("the index: %v", err)
			}
			return text, path, other
		}
		for name, damage := range damages {
			t.Run(size+", "+name, func(t *testing.T) {
				text, path, other := pair(t)
				must(t, damage(path, other))
				wantOurBytes(t, s, path, text, name == "deleted")
				again, err := s.inAStream(t.Context(), text) // the evidence stays, and the same text can be stored
				must(t, err)
				s.wantWhole(t, artifactOf(again), text)
			})
		}
		for name, change := range harmless {
			t.Run(size+", "+name, func(t *testing.T) {
				text, path, other := pair(t)
				must(t, change(path, other))
				s.wantWhole(t, path, text)
			})
		}
	}
}

// wantOurBytes reads a damaged artifact in every way: an answer has bytes that were put, and at least the one to
// who reads all of it says that the artifact is damaged or, when it was deleted, that it is not there.
func wantOurBytes(t *testing.T, s *sidecar, path, text string, deleted bool) {
	t.Helper()
	code, reason := codes.DataLoss, "ARTIFACT_CORRUPT"
	if deleted {
		code, reason = codes.DataLoss, "ARTIFACT_MISSING"
	}
	got, err := s.read(t.Context(), path)
	wantRefusal(t, "all of it", err, code, reason)
	if !strings.HasPrefix(text, got) {
		t.Errorf("all of it: %d bytes that were never put", len(got))
	}
	for name, req := range map[string]*pb.ReadArtifactRequest{
		"lines":  {Selection: &pb.ReadArtifactRequest_Lines{Lines: &pb.LineRange{First: 100, Last: 900}}},
		"bytes":  {Selection: &pb.ReadArtifactRequest_Bytes{Bytes: &pb.ByteRange{Start: 1, End: 5000}}},
		"tail":   {Selection: &pb.ReadArtifactRequest_Tail{Tail: &pb.TailLines{Lines: 10}}},
		"around": {Selection: &pb.ReadArtifactRequest_Around{Around: &pb.AroundLine{Line: 1000, Before: 5, After: 5}}},
		"match":  {Selection: &pb.ReadArtifactRequest_Match{Match: &pb.MatchingLines{Pattern: "line"}}},
	} {
		req.Path = path
		answer, err := s.artifacts.ReadArtifact(t.Context(), req)
		if err != nil {
			if c := status.Code(err); c != code {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var want []byte
		for _, r := range answer.GetRanges() {
			want = append(want, text[r.GetByteStart():r.GetByteEnd()]...)
		}
		if !bytes.Equal(answer.GetData(), want) || len(want) == 0 || answer.GetTotalBytes() != uint64(len(text)) {
			t.Errorf("%s: %d bytes of %d that were never put", name, len(answer.GetData()), answer.GetTotalBytes())
		}
	}
}

// TestShardIsGone: a directory that was deleted, or is a file now, is no reason to answer anything else than that
// its artifacts are gone or damaged.
func TestShardIsGone(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{})
	text := numbered(3000)
	answer, err := s.inOneMessage(t.Context(), text)
	must(t, err)
	shard := filepath.Dir(artifactOf(answer))
	must(t, os.RemoveAll(shard))
	_, err = s.read(t.Context(), artifactOf(answer))
	wantRefusal(t, "deleted", err, codes.DataLoss, "ARTIFACT_MISSING")
	must(t, os.WriteFile(shard, nil, 0o600))
	_, err = s.read(t.Context(), artifactOf(answer))
	wantRefusal(t, "a file", err, codes.DataLoss, "ARTIFACT_CORRUPT")
	_, err = s.inOneMessage(t.Context(), text)
	wantRefusal(t, "put where a file is", err, codes.Internal, "STORE_FAILED")
	must(t, os.Remove(shard))
	answer, err = s.inOneMessage(t.Context(), text)
	must(t, err)
	s.wantWhole(t, artifactOf(answer), text)
}
