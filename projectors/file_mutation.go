package projectors

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// FileMutation projects changed files. If the runtime names none, they are read from
// its diff.
func FileMutation() Projector { return declare("file_mutation", adaptFileMutation) }

// adaptFileMutation reads the changes from the diff. A diff that cannot be read
// completely states that the changes are unknown, because an incomplete list would
// hide changes.
func adaptFileMutation(_ context.Context, w *work) error {
	out, _ := w.from.Interface().(*pb.FileMutationOutput)
	into, _ := w.into.Interface().(*pb.FileMutationResult)
	if len(out.GetChanges()) > 0 {
		return nil
	}
	if out.GetDiff() == nil {
		w.check.Fail("changes", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required where there is no diff")
		return nil
	}
	derived, err := readChanges(out.GetDiff().GetInline())
	if err != nil || out.GetDiff().GetSourceLoss() != nil { // a list with a gap would say less than was changed
		into.DiffUnreadable, into.ChangesUnknown = true, true
		w.finish = func() { into.ChangesTotal = nil }
		return nil
	}
	for _, p := range w.parts {
		l, ok := p.(*list)
		if !ok || l.field.Name != "changes" {
			continue
		}
		l.all = (&pb.FileMutationResult{Changes: derived}).ProtoReflect().Get(l.field.Field).List()
		w.finish = func() { into.Digest = l.stored.Digest }
	}
	if len(derived) == 0 {
		w.summary = "no file was changed"
	}
	return nil
}

// errNoDiff is returned for text that is no diff, or one of which a file cannot be
// read.
var errNoDiff = errors.New("no diff of which all files can be read")

// maxPath bounds a path in bytes, as the contract does for paths that are given.
const maxPath = 4096

// readChanges returns all files that a diff changes, or an error if one of them cannot
// be read.
func readChanges(diff []byte) ([]*pb.FileChange, error) {
	text := unixDiff(string(diff))
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	headers := scanHeaders(text)
	if headers.incomplete {
		return nil, errNoDiff
	}
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("parse diff: %w", err)
	}
	if len(files) == 0 {
		return nil, errNoDiff
	}
	var changes []*pb.FileChange
	byPath := map[string]*pb.FileChange{} // the first change of each path
	for _, f := range files {
		if headers.prefixed {
			f.OldName, f.NewName = withoutPrefix(f.OldName), withoutPrefix(f.NewName)
		}
		c := newFileChange(f)
		if path := c.GetPath(); path == "" || len(path) > maxPath || len(c.GetFromPath()) > maxPath {
			return nil, errNoDiff
		}
		if before := byPath[c.GetPath()]; before != nil && c.GetAction() == pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY {
			addCounts(before, c) // as in a series of patches
			continue
		}
		byPath[c.GetPath()] = c
		changes = append(changes, c)
	}
	return changes, nil
}

// addCounts adds a further change of the same file. A series of patches changes a
// file more than once, and a reader wants one line for each file.
func addCounts(into, c *pb.FileChange) {
	if into.GetNote() == "" {
		into.Note = c.GetNote()
	}
	if c.Hunks == nil {
		return
	}
	into.Hunks = new(into.GetHunks() + c.GetHunks())
	into.AddedLines, into.RemovedLines = new(into.GetAddedLines()+c.GetAddedLines()), new(into.GetRemovedLines()+c.GetRemovedLines())
}

// unixDiff returns a diff with the line ends that its parser expects. If the first
// line ends with CRLF, the whole diff was converted.
func unixDiff(text string) string {
	if first := strings.IndexByte(text, '\n'); first > 0 && text[first-1] == '\r' {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// headers states what the lines between hunks say.
type headers struct {
	incomplete bool // a file is named there in a way that the parser does not read
	prefixed   bool // no diff of git, and yet with a/ and b/ before the names
}

// scanHeaders reads the lines between hunks. It counts the lines of each hunk, because
// lines of text may look like headers.
func scanHeaders(text string) headers {
	h := headers{prefixed: true}
	git, old := false, ""
	removed, added := uint64(0), uint64(0) // lines that the hunk still has
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case removed+added > 0: // what looks like a header there is text
			if !strings.HasPrefix(line, "+") && !strings.HasPrefix(line, `\`) && removed > 0 {
				removed--
			}
			if !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, `\`) && added > 0 {
				added--
			}
			line = ""
		case strings.HasPrefix(line, "@@ -"):
			removed, added = hunkLines(line)
		case strings.HasPrefix(line, "diff --git "):
			git = true
		case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
			h.incomplete = true
		case !git && (strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "Only in ")):
			h.incomplete = true
		case strings.HasPrefix(old, "--- ") && strings.HasPrefix(line, "+++ "):
			h.prefixed = h.prefixed && isPrefixed(old[4:], "a/") && isPrefixed(line[4:], "b/")
		}
		old = line
	}
	h.prefixed = h.prefixed && !git
	return h
}

// hunkLines reads the numbers of old and new lines from the header of a hunk, which is
// "@@ -12,3 +12,4 @@"; a number that is missing is 1. A header that cannot be read
// has no lines, and the parser of the diff rejects it.
func hunkLines(header string) (old, added uint64) {
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return 0, 0
	}
	count := func(field string) uint64 {
		_, text, given := strings.Cut(field, ",")
		if !given {
			return 1
		}
		n, _ := strconv.ParseUint(text, 10, 32) // the parser rejects a wrong number
		return n
	}
	return count(fields[1]), count(fields[2])
}

// isPrefixed reports whether a name has a prefix, or names no file.
func isPrefixed(name, prefix string) bool {
	name = strings.TrimPrefix(name, `"`)
	return strings.HasPrefix(name, prefix) || strings.HasPrefix(name, "/dev/null")
}

// withoutPrefix removes "a/" or "b/" from a name.
func withoutPrefix(name string) string {
	if len(name) > 2 && (name[:2] == "a/" || name[:2] == "b/") {
		return name[2:]
	}
	return name
}

// newFileChange returns a file of a diff in the terms of the contract.
func newFileChange(f *gitdiff.File) *pb.FileChange {
	c := &pb.FileChange{Action: pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY, Path: f.NewName, Note: changeNote(f)}
	switch {
	case f.IsNew:
		c.Action = pb.FileChangeAction_FILE_CHANGE_ACTION_ADD
	case f.IsDelete:
		c.Action, c.Path = pb.FileChangeAction_FILE_CHANGE_ACTION_DELETE, f.OldName
	case f.IsCopy:
		c.Action, c.FromPath = pb.FileChangeAction_FILE_CHANGE_ACTION_COPY, f.OldName
	case f.IsRename:
		c.Action, c.FromPath = pb.FileChangeAction_FILE_CHANGE_ACTION_MOVE, f.OldName
	}
	c.Path, c.FromPath = strings.ToValidUTF8(c.GetPath(), "\uFFFD"), strings.ToValidUTF8(c.GetFromPath(), "\uFFFD")
	if len(f.TextFragments) == 0 {
		return c
	}
	c.Hunks, c.AddedLines, c.RemovedLines = new(uint32(len(f.TextFragments))), new(uint64), new(uint64)
	for _, hunk := range f.TextFragments {
		*c.AddedLines += uint64(hunk.LinesAdded)
		*c.RemovedLines += uint64(hunk.LinesDeleted)
	}
	return c
}

// usualMode is the mode of a new file that is not worth stating.
const usualMode = 0o100644

// changeNote states what the counts of a change do not: binary content and modes.
func changeNote(f *gitdiff.File) string {
	var notes []string
	if f.IsBinary {
		notes = append(notes, "binary")
	}
	switch {
	case f.NewMode == 0 || f.NewMode == f.OldMode:
	case f.OldMode != 0:
		notes = append(notes, fmt.Sprintf("mode %o -> %o", f.OldMode, f.NewMode))
	case f.NewMode != usualMode:
		notes = append(notes, fmt.Sprintf("mode %o", f.NewMode))
	}
	return strings.Join(notes, ", ")
}
