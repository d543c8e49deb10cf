package conformance_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// small projects a small result of a family.
func (c *client) small(family string) answer {
	return c.project(`output { tool_name: "Tool" %s }`, samples[family])
}

// failure projects a tool that failed, with every field of an error.
func (c *client) failure() answer { return c.project("%s", failure) }

// sampleOf is the output of a family with a large field, %[1]q.
func sampleOf(family, field string) string {
	for _, l := range large {
		if l.family == family && l.field == field {
			return l.output
		}
	}
	return ""
}

// path returns the path of an artifact of the result.
func (a answer) path(index int) string {
	list, _ := a.json.at("result.artifacts").([]any)
	if index >= len(list) {
		return ""
	}
	reference, _ := list[index].(map[string]any)
	return object(reference).text("path")
}

// artifactOf returns the path of the artifact that a field of the result refers to.
func (a answer) artifactOf(field string) string {
	index, _ := a.json.at("result." + field + "_artifact").(float64)
	return a.path(int(index))
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// jsonList is a JSON object with a list of so many values.
func jsonList(n int) string {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i, line := range strings.Split(strings.TrimSpace(lines(n)), "\n") {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":%d,"name":%q}`, i, line)
	}
	return b.String() + "]}"
}

// jsonTree is a JSON object of n members that are no records.
func jsonTree(n int) string {
	var b strings.Builder
	b.WriteString("{")
	for i, line := range strings.Split(strings.TrimSpace(lines(n)), "\n") {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"n%d":[%d,%q]`, i, i, line)
	}
	return b.String() + "}"
}

// compactJSON is a JSON text of a document without its white space.
func compactJSON(text string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		panic(err)
	}
	return b.String()
}

// base64Of is how JSON has the bytes of a payload.
func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// example makes a call of Project by grpcurl and compares the RFC's JSON with an example.
func (c *client) example(request, want string) error {
	got := c.grpcurl("ToolResultService/Project", request)
	return equal("canonical_json", got.text("canonicalJson"), want)
}

// receiptExample makes a call of Project by grpcurl and compares the receipt with an example.
func (c *client) receiptExample(request, want string) error {
	got := c.grpcurl("ToolResultService/Project", request)
	return equal("receipt", got.text("receipt.text"), want)
}
