package inspect

import (
	"cmp"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// term is a value of the contract in words for people.
type term struct{ label, why, class string }

// keepReasons are the reasons for which lines are kept.
var keepReasons = map[pb.KeepReason]term{
	pb.KeepReason_KEEP_REASON_UNSPECIFIED: {"shown", "no choice was made", "plain"},
	pb.KeepReason_KEEP_REASON_HEAD:        {"head", "among the first lines", "edge"},
	pb.KeepReason_KEEP_REASON_TAIL:        {"tail", "among the last lines", "edge"},
	pb.KeepReason_KEEP_REASON_CONTEXT:     {"context", "beside a line that matters", "plain"},
	pb.KeepReason_KEEP_REASON_ERROR:       {"error", "a message that something went wrong", "bad"},
	pb.KeepReason_KEEP_REASON_FAILURE:     {"failure", "a test or a check that failed", "bad"},
	pb.KeepReason_KEEP_REASON_CRASH:       {"crash", "text of a panic, an exception or an assertion", "bad"},
	pb.KeepReason_KEEP_REASON_DIAGNOSTIC:  {"diagnostic", "a diagnostic of a compiler or linter, with its place", "bad"},
	pb.KeepReason_KEEP_REASON_WARNING:     {"warning", "a warning", "warn"},
	pb.KeepReason_KEEP_REASON_SUMMARY:     {"summary", "counters and verdicts", "good"},
	pb.KeepReason_KEEP_REASON_EXIT:        {"exit", "how a program or a step of it ended", "good"},
	pb.KeepReason_KEEP_REASON_PROFILE:     {"profile", "the profile of the command says that it stays", "good"},
	pb.KeepReason_KEEP_REASON_STRUCTURE:   {"structure", "what the text is made of: headers, folders, keys", "edge"},
}

// cutKinds are the kinds of cuts.
var cutKinds = map[pb.CutKind]term{
	pb.CutKind_CUT_KIND_MIDDLE:      {"cut", "omitted for the budget", "cut"},
	pb.CutKind_CUT_KIND_LONG_LINE:   {"long line", "the inner part of a long line", "cut"},
	pb.CutKind_CUT_KIND_REPEATED:    {"repeated", "repetitions of text that is shown once", "cut fold"},
	pb.CutKind_CUT_KIND_PROGRESS:    {"progress", "states of a line that the tool itself overwrote", "cut fold"},
	pb.CutKind_CUT_KIND_CONTROL:     {"control", "colours, erase sequences and other bytes without a visible effect", "cut fold"},
	pb.CutKind_CUT_KIND_INVISIBLE:   {"invisible", "characters that a reader cannot see", "cut lost"},
	pb.CutKind_CUT_KIND_BINARY:      {"binary", "not text, so nothing of it is shown", "cut"},
	pb.CutKind_CUT_KIND_SOURCE_LOSS: {"lost", "were lost before the sidecar saw them", "cut lost"},
	pb.CutKind_CUT_KIND_COMPACTED:   {"compacted", "removed from the preview by a compaction", "cut"},
	pb.CutKind_CUT_KIND_TIME:        {"times", "times that lines begin with", "cut fold"},
	pb.CutKind_CUT_KIND_FOLDED:      {"noise", "what the profile of the command calls noise", "cut fold"},
	pb.CutKind_CUT_KIND_CELL:        {"cells", "ends of long cells of a table", "cut fold"},
	pb.CutKind_CUT_KIND_ATTRIBUTES:  {"attributes", "mode, owner, size and date before names of files", "cut fold"},
}

// enumWord returns the value of an enum as words: "AUDIT_KIND_TOOL_CALL" with the prefix "AUDIT_KIND_" is "tool call".
func enumWord(prefix, name string) string {
	return cmp.Or(strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", " ")), "unknown")
}
