package mcpproxy

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// DefaultReadTool is the name of the tool that the proxy adds.
const DefaultReadTool = "toolresult_read"

// definitionOf returns the definition of the tool that reads what receipts omit, as tools/list has it. Its arguments are those of
// read_result, which a test compares.
func definitionOf(name string) []byte {
	description := `Reads what the result of an earlier tool call left out. ` +
		`Use it when a result says lines were left out, or names itself as ` + name + `(result="..."). ` +
		`Give result, and at most one of lines, tail, match and pointer; with none of them reading begins at line 1. ` +
		`When the answer has "Next page", call again with that page to go on. ` +
		`To find something in a long result, use match before reading it line by line.`
	return fmt.Appendf(nil, `{"name":%s,"description":%s,"inputSchema":%s,"annotations":{"readOnlyHint":true,"openWorldHint":false}}`,
		jsonspan.Quote(name), jsonspan.Quote(description), readSchema)
}

// readSchema is the schema of the arguments.
const readSchema = `{"type":"object","properties":{` +
	`"result":{"type":"string","description":"Which result: what stands in result=\"...\" there, or the path behind \"all:\"."},` +
	`"lines":{"type":"string","description":"Lines to read: \"120-180\", \"120-\" to the end, or \"120\"."},` +
	`"tail":{"type":"integer","description":"How many of the last lines to read."},` +
	`"match":{"type":"string","description":"A regular expression (RE2). Only the lines that match it are answered."},` +
	`"context":{"type":"integer","description":"With match: how many lines before and after each match to answer, too."},` +
	`"pointer":{"type":"string","description":"Of a result that is JSON: the value at this JSON pointer, such as \"/items/3/name\"."},` +
	`"page":{"type":"string","description":"What stands behind \"Next page:\" in the answer before, to go on there."}},` +
	`"required":["result"],"additionalProperties":false}`

// Codes of errors of JSON-RPC.
const (
	codeFailed     = -32000 // the server ended, or does not answer
	codeNoResource = -32002 // of MCP: there is no such resource
	codeInternal   = -32603
)

// maxResource is the largest artifact that resources/read answers, in bytes. A larger one is for the tool.
const maxResource = 8 << 20

// readSlice answers a call of our tool.
func (p *Proxy) readSlice(ctx context.Context, m message) []byte {
	arguments := "{}"
	if v := m.in("params").get("arguments"); !v.none() {
		arguments = string(v.of(m.text))
	}
	text, mistake, err := p.sidecar.Read(ctx, arguments)
	if err != nil {
		text, mistake = "The results cannot be read now: "+err.Error(), true
	}
	isError := ""
	if mistake {
		isError = `,"isError":true`
	}
	return answerWith(m.id, "result", fmt.Appendf(nil, `{"content":[%s]%s}`, receiptBlock(text, nil), isError))
}

// readArtifact answers resources/read of an artifact.
func (p *Proxy) readArtifact(ctx context.Context, m message, path string) []byte {
	data, err := p.sidecar.Artifact(ctx, path, maxResource)
	if errors.Is(err, ErrNotFound) {
		return errorAnswer(m.id, codeNoResource, err.Error())
	}
	if err != nil {
		return errorAnswer(m.id, codeInternal, err.Error()+"; the tool "+p.o.ReadTool+" reads parts of it")
	}
	kind, member, content := "text/plain", "text", string(data)
	if !utf8.Valid(data) {
		kind, member, content = "application/octet-stream", "blob", base64.StdEncoding.EncodeToString(data)
	}
	uri := jsonspan.Quote(m.in("params").string("uri"))
	const format = `{"contents":[{"uri":%s,"mimeType":%q,%q:%s}]}`
	return answerWith(m.id, "result", fmt.Appendf(nil, format, uri, kind, member, jsonspan.Quote(content)))
}
