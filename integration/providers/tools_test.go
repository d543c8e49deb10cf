package providers_test

import (
	"encoding/json"
	"maps"
	"slices"
)

// A tool is one that messages call.
type tool struct {
	name   string
	custom bool
}

// free are the members whose content is the tool's own, and says nothing of calls.
var free = map[string]bool{"input": true, "arguments": true, "args": true, "json": true, "response": true}

// called adds the tools that messages of any provider call. A call is an object that
// says so by its type, or stands in a member that does.
func called(v any, tools []tool) []tool {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			tools = called(one, tools)
		}
	case map[string]any:
		name, _ := v["name"].(string)
		switch v["type"] {
		case "tool_use", "function_call":
			tools = append(tools, tool{name: name})
		case "custom_tool_call":
			tools = append(tools, tool{name: name, custom: true})
		}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			content, object := v[member].(map[string]any)
			name, named := content["name"].(string)
			switch {
			case free[member]:
			case object && named && (member == "function" || member == "functionCall" || member == "toolUse"):
				tools = append(tools, tool{name: name})
			case object && named && member == "custom":
				tools = append(tools, tool{name: name, custom: true})
			default:
				tools = called(v[member], tools)
			}
		}
	}
	return tools
}

// object is what a provider takes as a declaration, or a part of one.
type object map[string]any

// schema is that of the arguments of every tool here.
var schema = object{"type": "object"}

// declare returns the declarations of tools as a provider has them, each once.
func declare(provider string, tools []tool) ([]json.RawMessage, error) {
	declared := []json.RawMessage{}
	seen := map[tool]bool{}
	var functions []object
	for _, t := range tools {
		if seen[t] {
			continue
		}
		seen[t] = true
		functions = append(functions, declaration(provider, t))
	}
	if provider == "gemini" && len(functions) > 0 {
		functions = []object{{"functionDeclarations": functions}}
	}
	for _, f := range functions {
		b, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		declared = append(declared, b)
	}
	return declared, nil
}

func declaration(provider string, t tool) object {
	switch provider {
	case "anthropic_messages":
		return object{"name": t.name, "input_schema": schema}
	case "bedrock_converse":
		return object{"toolSpec": object{"name": t.name, "inputSchema": object{"json": schema}}}
	case "gemini":
		return object{"name": t.name}
	case "openai_responses":
		if t.custom {
			return object{"type": "custom", "name": t.name}
		}
		return object{"type": "function", "name": t.name, "parameters": schema, "strict": false}
	}
	if t.custom {
		return object{"type": "custom", "custom": object{"name": t.name}}
	}
	return object{"type": "function", "function": object{"name": t.name, "parameters": schema}}
}
