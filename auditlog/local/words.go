package local

// Words that nearly every record has are numbers in the table of the index, which makes it smaller by a third. The view that people read has
// the words.

import "github.com/toolresult/toolresult/auditlog/internal/record"

// words have their place, from 1, as number. Others are texts in the table, so the list need not be complete. Whoever changes it raises
// schemaVersion: an index has the list of the program that made it.
var words = []string{
	"projection", "rendering", "compaction", "refusal", "retention", "tool_call",
	"success", "error",
	"text", "command", "command_batch", "file_read", "file_mutation", "search", "web_fetch", "web_search", "image_view",
	"/toolresult.v1.ToolResultService/Project", "/toolresult.v1.ToolResultService/ProjectStream", "/toolresult.v1.ToolResultService/ProjectTurn",
	"/toolresult.v1.ToolResultService/ProjectSession", "/toolresult.v1.ToolResultService/Render", "/toolresult.v1.ToolResultService/Compact",
	"/toolresult.v1.ToolService/CallTool",
}

// numbers has the numbers of words.
var numbers = func() map[string]int64 {
	m := map[string]int64{}
	for i, w := range words {
		m[w] = int64(i + 1)
	}
	return m
}()

// stored returns a word as the table has it: its number or, if it has none, itself.
func stored(word string) any {
	if n, ok := numbers[word]; ok {
		return n
	}
	return word
}

// isWord reports whether a column has words that are stored as numbers.
func isWord(column string) bool {
	return column == "kind" || column == "method" || column == "family" || column == "status"
}

// isOmitted reports whether the index does not have a column: nobody looks for a record by it, and the journal has it.
func isOmitted(column string) bool { return column == "request_digest" }

// indexed returns those of the things of all columns, in the order of [record.ColumnNames], of which the index has the column.
func indexed[T any](all []T) (list []T) {
	for i, name := range record.ColumnNames() {
		if !isOmitted(name) {
			list = append(list, all[i])
		}
	}
	return list
}

// rowValues returns the values of a row, as the table has them.
func rowValues(c *record.Columns) []any {
	values := c.Values()
	for i, name := range record.ColumnNames() {
		if text, ok := values[i].(string); ok && isWord(name) {
			values[i] = stored(text)
		}
	}
	return indexed(values)
}
