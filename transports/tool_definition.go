package transports

import (
	"encoding/json"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// readResultDescription instructs a model in the use of read_result.
const readResultDescription = `Reads what the result of an earlier tool call left out. ` +
	`Use it when a result says lines were left out, or names itself as read_result(result="..."). ` +
	`Give result, and at most one of lines, tail, match and pointer; with none of them reading begins at line 1. ` +
	`When the answer has "Next page", call again with that page to go on. ` +
	`To find something in a long result, use match before reading it line by line.`

// parameter is one argument of a tool.
type parameter struct{ name, kind, description string }

// readResultParameters has the arguments of read_result. The first one is required.
var readResultParameters = []parameter{
	{"result", "string", `Which result: what stands in result="..." there, or the path behind "all:".`},
	{"lines", "string", `Lines to read: "120-180", "120-" to the end, or "120".`},
	{"tail", "integer", "How many of the last lines to read."},
	{"match", "string", "A regular expression (RE2). Only the lines that match it are answered."},
	{"context", "integer", "With match: how many lines before and after each match to answer, too."},
	{"pointer", "string", `Of a result that is JSON: the value at this JSON pointer, such as "/items/3/name".`},
	{"page", "string", `What stands behind "Next page:" in the answer before, to go on there.`},
}

// ToolDefinitions returns the definitions of the tools of ToolService, in the form of a provider. A runtime adds them to its
// own tools, and sends calls of them to CallTool. The text of a definition never changes between calls. The error is an
// *envelope.InvalidError.
func ToolDefinitions(p pb.Provider) ([]*pb.ToolDefinition, error) {
	check := envelope.NewChecker("")
	dialect.CheckProvider(check, p)
	if err := check.Err(); err != nil {
		return nil, err
	}
	return []*pb.ToolDefinition{{Name: envelope.ReadTool, DefinitionJson: string(readResultDefinition(p).Raw())}}, nil
}

// readResultDefinition returns the definition of read_result in the form of a provider.
func readResultDefinition(p pb.Provider) rawjson.Object {
	named := rawjson.Object{}.WithText("name", envelope.ReadTool).WithText("description", readResultDescription)
	closed := argumentSchema(strings.ToLower).With("additionalProperties", json.RawMessage("false"))
	switch p {
	case pb.Provider_PROVIDER_ANTHROPIC_MESSAGES:
		return named.WithObject("input_schema", closed)
	case pb.Provider_PROVIDER_GEMINI: // a subset of OpenAPI: types are an enum, and there is no additionalProperties
		return named.WithObject("parameters", argumentSchema(strings.ToUpper))
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		return rawjson.Object{}.WithObject("toolSpec", named.WithObject("inputSchema", rawjson.Object{}.WithObject("json", closed)))
	case pb.Provider_PROVIDER_OPENAI_RESPONSES: // every schema is strict unless the definition says otherwise
		flat := rawjson.Object{}.WithText("type", "function")
		return append(flat, named...).WithObject("parameters", closed).With("strict", json.RawMessage("false"))
	case pb.Provider_PROVIDER_OPENAI_CHAT, pb.Provider_PROVIDER_MISTRAL, pb.Provider_PROVIDER_OLLAMA:
		return rawjson.Object{}.WithText("type", "function").WithObject("function", named.WithObject("parameters", closed))
	}
	return named.WithObject("parameters", closed)
}

// argumentSchema returns the JSON schema of the arguments. kind writes the names of types as the provider has them.
func argumentSchema(kind func(string) string) rawjson.Object {
	properties := rawjson.Object{}
	for _, p := range readResultParameters {
		properties = properties.WithObject(p.name, rawjson.Object{}.WithText("type", kind(p.kind)).WithText("description", p.description))
	}
	required, _ := json.Marshal([]string{readResultParameters[0].name}) // encoding a string does not fail
	return rawjson.Object{}.WithText("type", kind("object")).WithObject("properties", properties).With("required", required)
}
