package model

import (
	"encoding/json"
	"net/http"
)

// obj is a JSON object.
type obj = map[string]any

// schema is the part of a tool's schema that is read.
type schema struct {
	Properties map[string]struct {
		Type any `json:"type"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// tool returns the tool of a name that has this schema.
func (s schema) tool(name string) tool {
	return tool{name: name, properties: s.Properties, required: s.Required}
}

// readAnthropic reads a request of the Messages API.
func readAnthropic(body []byte) (q query, err error) {
	var r struct {
		Stream bool
		Tools  []struct {
			Name   string
			Schema schema `json:"input_schema"`
		}
		Messages []struct{ Content json.RawMessage }
	}
	err = json.Unmarshal(body, &r)
	q.stream = r.Stream
	for _, t := range r.Tools {
		q.tools = append(q.tools, t.Schema.tool(t.Name))
	}
	for _, m := range r.Messages {
		var blocks []struct {
			Type    string
			Content json.RawMessage
		}
		_ = json.Unmarshal(m.Content, &blocks) // a string has no results
		for _, b := range blocks {
			if b.Type == "tool_result" {
				q.results = append(q.results, text(b.Content))
			}
		}
	}
	return q, err
}

// writeAnthropic writes a message.
func writeAnthropic(w http.ResponseWriter, a answer) {
	block, stop := obj{"type": "text", "text": a.text}, "end_turn"
	if a.tool != "" {
		block, stop = obj{"type": "tool_use", "id": "toolu_" + a.id, "name": a.tool, "input": a.arguments}, "tool_use"
	}
	usage := obj{"input_tokens": 100, "output_tokens": 10}
	message := obj{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{block},
		"stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !a.stream {
		writeJSON(w, message)
		return
	}
	begun := obj{"type": "text", "text": ""}
	delta := obj{"type": "text_delta", "text": a.text}
	if a.tool != "" {
		begun = obj{"type": "tool_use", "id": block["id"], "name": a.tool, "input": obj{}}
		delta = obj{"type": "input_json_delta", "partial_json": a.json()}
	}
	message["content"], message["stop_reason"] = []any{}, nil
	e := newEvents(w)
	e.send("message_start", obj{"type": "message_start", "message": message})
	e.send("content_block_start", obj{"type": "content_block_start", "index": 0, "content_block": begun})
	e.send("content_block_delta", obj{"type": "content_block_delta", "index": 0, "delta": delta})
	e.send("content_block_stop", obj{"type": "content_block_stop", "index": 0})
	e.send("message_delta", obj{"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	e.send("message_stop", obj{"type": "message_stop"})
}

// readChat reads a request of the Chat Completions API.
func readChat(body []byte) (q query, err error) {
	var r struct {
		Stream bool
		Tools  []struct {
			Function struct {
				Name       string
				Parameters schema
			}
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	err = json.Unmarshal(body, &r)
	q.stream = r.Stream
	for _, t := range r.Tools {
		q.tools = append(q.tools, t.Function.Parameters.tool(t.Function.Name))
	}
	for _, m := range r.Messages {
		if m.Role == "tool" {
			q.results = append(q.results, text(m.Content))
		}
	}
	return q, err
}

// writeChat writes a chat completion.
func writeChat(w http.ResponseWriter, a answer) {
	message, stop := obj{"role": "assistant", "content": a.text}, "stop"
	if a.tool != "" {
		message, stop = obj{"role": "assistant", "content": nil, "tool_calls": []any{obj{
			"index": 0, "id": a.id, "type": "function", "function": obj{"name": a.tool, "arguments": a.json()},
		}}}, "tool_calls"
	}
	whole := func(object, key string, value obj, finish any) obj {
		return obj{
			"id": "chatcmpl-1", "object": object, "created": 1, "model": "scripted",
			"choices": []any{obj{"index": 0, key: value, "finish_reason": finish}},
			"usage":   obj{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
		}
	}
	if !a.stream {
		writeJSON(w, whole("chat.completion", "message", message, stop))
		return
	}
	e := newEvents(w)
	e.send("", whole("chat.completion.chunk", "delta", message, nil))
	e.send("", whole("chat.completion.chunk", "delta", obj{}, stop))
	_, _ = w.Write([]byte("data: [DONE]\n\n"))
}

// readResponses reads a request of the Responses API.
func readResponses(body []byte) (q query, err error) {
	var r struct {
		Stream bool
		Tools  []struct {
			Name       string
			Parameters schema
		}
		Input json.RawMessage
	}
	err = json.Unmarshal(body, &r)
	q.stream = r.Stream
	for _, t := range r.Tools {
		q.tools = append(q.tools, t.Parameters.tool(t.Name))
	}
	var items []struct {
		Type   string
		Output json.RawMessage
	}
	_ = json.Unmarshal(r.Input, &items) // a string has no results
	for _, i := range items {
		if i.Type == "function_call_output" {
			q.results = append(q.results, text(i.Output))
		}
	}
	return q, err
}

// writeResponses writes a response.
func writeResponses(w http.ResponseWriter, a answer) {
	item := obj{"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": []any{
		obj{"type": "output_text", "text": a.text, "annotations": []any{}},
	}}
	if a.tool != "" {
		item = obj{"id": "fc_1", "type": "function_call", "status": "completed", "call_id": a.id, "name": a.tool, "arguments": a.json()}
	}
	response := obj{
		"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "scripted", "output": []any{item},
		"usage": obj{
			"input_tokens": 100, "input_tokens_details": obj{"cached_tokens": 0}, "output_tokens": 10,
			"output_tokens_details": obj{"reasoning_tokens": 0}, "total_tokens": 110,
		},
	}
	if !a.stream {
		writeJSON(w, response)
		return
	}
	e := newEvents(w)
	n := 0
	send := func(kind string, data obj) {
		data["type"], data["sequence_number"] = kind, n
		n++
		e.send(kind, data)
	}
	send("response.created", obj{"response": obj{"id": "resp_1", "object": "response", "created_at": 1, "status": "in_progress", "model": "scripted", "output": []any{}}})
	send("response.output_item.added", obj{"output_index": 0, "item": item})
	if a.tool != "" {
		send("response.function_call_arguments.done", obj{"output_index": 0, "item_id": "fc_1", "arguments": a.json()})
	} else {
		send("response.output_text.delta", obj{"output_index": 0, "content_index": 0, "item_id": "msg_1", "delta": a.text})
	}
	send("response.output_item.done", obj{"output_index": 0, "item": item})
	send("response.completed", obj{"response": response})
}

// readGemini reads a request of the Gemini API.
func readGemini(body []byte) (q query, err error) {
	var r struct {
		Tools []struct {
			Functions []struct {
				Name       string
				Parameters schema
				JSON       schema `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
		Contents []struct {
			Parts []struct {
				Response *struct{ Response json.RawMessage } `json:"functionResponse"`
			}
		}
	}
	err = json.Unmarshal(body, &r)
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			s := f.Parameters
			if len(s.Properties) == 0 {
				s = f.JSON
			}
			q.tools = append(q.tools, s.tool(f.Name))
		}
	}
	for _, c := range r.Contents {
		for _, p := range c.Parts {
			if p.Response == nil {
				continue
			}
			var known struct{ Output, Error *string }
			_ = json.Unmarshal(p.Response.Response, &known) // another form is shown as it is
			switch {
			case known.Output != nil:
				q.results = append(q.results, *known.Output)
			case known.Error != nil:
				q.results = append(q.results, *known.Error)
			default:
				q.results = append(q.results, string(p.Response.Response))
			}
		}
	}
	return q, err
}

// writeGemini writes a GenerateContentResponse.
func writeGemini(w http.ResponseWriter, a answer) {
	part := obj{"text": a.text}
	if a.tool != "" {
		part = obj{"functionCall": obj{"id": a.id, "name": a.tool, "args": a.arguments}}
	}
	response := obj{
		"candidates":    []any{obj{"index": 0, "content": obj{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": obj{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
		"modelVersion":  "scripted",
	}
	if !a.stream {
		writeJSON(w, response)
		return
	}
	newEvents(w).send("", response)
}
