package mcpproxy

import (
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// The headers by which servers route messages without reading them.

// firstWithHeaders is the version of MCP that has headers for methods, names and parameters.
const firstWithHeaders = "2026-07-28"

// metaVersion is the member of _meta in which requests of later versions say theirs.
const metaVersion = "io.modelcontextprotocol/protocolVersion"

// parameter is an argument of a tool that is in a header too.
type parameter struct {
	path   []string // in the arguments
	header string
}

// headersOf returns the headers of the POST of a message.
func (h *HTTP) headersOf(m message) http.Header {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	params := m.in("params")
	h.mu.Lock()
	defer h.mu.Unlock()
	version := h.version
	if v, ok := metaOf(params, metaVersion); ok {
		version, _ = jsonspan.String(v.of(m.text))
		header.Set("Mcp-Protocol-Version", version)
	}
	if version < firstWithHeaders || m.method == "" {
		return header
	}
	header.Set("Mcp-Method", m.method)
	switch m.method {
	case "tools/call":
		header.Set("Mcp-Name", params.string("name"))
		for _, p := range h.parameters[params.string("name")] {
			if value, ok := p.in(params.in("arguments")); ok {
				header.Set("Mcp-Param-"+p.header, value)
			}
		}
	case "prompts/get":
		header.Set("Mcp-Name", params.string("name"))
	case "resources/read":
		header.Set("Mcp-Name", params.string("uri"))
	}
	return header
}

// in returns the value of a parameter as a header has it.
func (p parameter) in(arguments object) (string, bool) {
	for _, name := range p.path[:len(p.path)-1] {
		arguments = arguments.in(name)
	}
	v := arguments.get(p.path[len(p.path)-1])
	if v.none() {
		return "", false
	}
	value := v.of(arguments.text)
	if s, ok := jsonspan.String(value); ok {
		return headerText(s), true
	}
	switch text := string(value); text {
	case "true", "false":
		return text, true
	default:
		const safe = 1<<53 - 1
		n, err := strconv.ParseFloat(text, 64)
		return strconv.FormatInt(int64(n), 10), err == nil && n == math.Trunc(n) && math.Abs(n) <= safe
	}
}

// headerText returns a text as a header has it: in base64 if it has more than visible ASCII, or looks as if it were that.
func headerText(s string) string {
	const before, after = "=?base64?", "?="
	odd := strings.Trim(s, " \t") != s || strings.HasPrefix(s, before) && strings.HasSuffix(s, after) ||
		strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	if odd {
		return before + base64.StdEncoding.EncodeToString([]byte(s)) + after
	}
	return s
}

// noteParameters notes which arguments of tools are in headers too.
func (h *HTTP) noteParameters(result object) {
	list := result.get("tools")
	if list.none() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range elements(result.text, list.from) {
		tool := objectAt(result.text, s.from)
		h.parameters[tool.string("name")] = parametersIn(tool.in("inputSchema"), nil)
	}
}

// parametersIn returns the parameters that a schema marks.
func parametersIn(schema object, above []string) (list []parameter) {
	properties := schema.in("properties")
	for _, m := range properties.list {
		name, _ := jsonspan.String(m.name.of(schema.text))
		path := append(append([]string(nil), above...), name)
		property := objectAt(schema.text, m.value.from)
		if header := property.string("x-mcp-header"); isToken(header) {
			list = append(list, parameter{path, header})
		}
		list = append(list, parametersIn(property, path)...)
	}
	return list
}

// isToken reports whether a text can be the name of a header.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}
