package streams

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// A model that has read a receipt with a cut marker, and then writes the file from memory, may write the marker as a
// line of the file, which loses the lines that it stands for. The runtime is warned before it makes the call. Calls that
// do not write files may name such lines: a search for one is legitimate.

// ReceiptFinder finds the lines of a text that belong to a receipt. A model that copies such lines into a file writes a
// marker instead of the text that was cut.
type ReceiptFinder func(text string) []ReceiptLine

// ReceiptLine is a line of a receipt in a text.
type ReceiptLine struct {
	Line int
	Form string
	Text string // of the line
}

// maxLeaks bounds the findings of one answer. The first one is reason enough not to make a call.
const maxLeaks = 64

// writingTools are common names of tools that write files. They are used if the caller names none.
var writingTools = []string{
	"apply_patch", "applypatch", "create", "create_file", "edit", "edit_file", "file_edit", "file_write", "insert", "insert_edit_into_file",
	"multi_edit", "multiedit", "notebook_edit", "patch", "replace", "replace_string_in_file", "save_file", "search_replace", "str_replace",
	"str_replace_based_edit_tool", "str_replace_editor", "write", "write_file", "write_to_file",
}

// findLeaks finds lines of receipts in the arguments of calls that write files.
func findLeaks(calls []*pb.ParsedToolCall, tools []string, find ReceiptFinder) []*pb.MarkerLeak {
	var list []*pb.MarkerLeak
	for i, c := range calls {
		if !writesFiles(c, tools) {
			continue
		}
		visit := func(pointer, text string) {
			for _, f := range find(text) {
				if len(list) < maxLeaks {
					list = append(list, &pb.MarkerLeak{Call: uint32(i), Pointer: pointer, Line: uint32(f.Line), Form: f.Form, Text: f.Text})
				}
			}
		}
		if c.GetCustom() {
			visit("", c.GetArguments())
		} else {
			walkStrings("", json.RawMessage(c.GetArguments()), visit)
		}
	}
	return list
}

// writesFiles reports whether a call is of a tool that writes files.
func writesFiles(c *pb.ParsedToolCall, tools []string) bool {
	// Names of runtimes differ in case, and the caller's own list is exact.
	if len(tools) == 0 {
		return slices.Contains(writingTools, strings.ToLower(c.GetTool()))
	}
	return slices.Contains(tools, c.GetTool()) || slices.Contains(tools, dialect.JoinName(c.GetServer(), c.GetTool()))
}

// walkStrings visits the strings of a JSON value with their pointers (RFC 6901).
func walkStrings(pointer string, value json.RawMessage, visit func(pointer, text string)) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return
	}
	switch value[0] {
	case '"':
		visit(pointer, rawjson.String(value))
	case '[':
		for i, e := range slices.Collect(jsonspan.Elements(value)) {
			walkStrings(pointer+"/"+strconv.Itoa(i), e, visit)
		}
	case '{':
		o, _ := rawjson.Split(value)
		for _, m := range o {
			walkStrings(fmt.Sprintf("%s/%s", pointer, strings.NewReplacer("~", "~0", "/", "~1").Replace(m.Key)), m.Value, visit)
		}
	}
}
