package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// rules are what every model is told, and textRules what one without native calls is told
// before the tools.
const (
	rules = `You work in a directory, by calling tools. Where an output has a line such as "[…9121:]", lines are ` +
		`left out up to that number; they are in the file behind "all:". Read there what you need, and never write such a line into a file.`
	textRules = "\n\n" + `Call a tool by writing <tool_call>{"name": "shell___run", "arguments": {"command": "ls"}}</tool_call>, as often ` +
		"as you need it. End your answer behind the calls; the next message has their results. The tools are:\n"
)

// openingWith is the beginning of the transcript.
func (l *loop) openingWith(task string) (messages []string) {
	system := rules
	if l.format == pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT {
		system += textRules + tools
	}
	for _, m := range []map[string]string{{"role": "system", "content": system}, {"role": "user", "content": task}} {
		text, _ := json.Marshal(m) // strings always can be
		messages = append(messages, string(text))
	}
	return messages
}

// ask gets an answer of the model. One that broke off is asked for once more, because
// nothing of a stream without an end can be trusted.
func (l *loop) ask(ctx context.Context) (*pb.AssembleToolCallsResponse, error) {
	answer, err := l.request(ctx)
	if answer.GetEnd() == pb.StreamEnd_STREAM_END_TRUNCATED {
		log.Print("the stream broke off; the model is asked again")
		answer, err = l.request(ctx)
	}
	if err != nil {
		return nil, err
	}
	switch answer.GetEnd() {
	case pb.StreamEnd_STREAM_END_COMPLETE, pb.StreamEnd_STREAM_END_LENGTH:
		return answer, nil
	}
	return nil, fmt.Errorf("the answer of the model ended with %v: %s", answer.GetEnd(), answer.GetStopReason())
}

// request sends the transcript as it is, byte for byte, because a provider's cache holds up
// to the first byte that differs. The body of the response goes to the sidecar.
func (l *loop) request(ctx context.Context) (*pb.AssembleToolCallsResponse, error) {
	body := map[string]any{"model": l.model, "stream": true, "messages": json.RawMessage(l.transcript())}
	if l.format != pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT {
		body["tools"] = json.RawMessage(tools)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	resp, err := http.Post(l.endpoint, "application/json", &text)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", l.endpoint, resp.Status)
	}
	return l.assemble(ctx, resp.Body)
}

// assemble makes calls of a stream as it comes. Where it cannot be read any further it ends
// for the sidecar, too, which knows whether that was too early.
func (l *loop) assemble(ctx context.Context, body io.Reader) (*pb.AssembleToolCallsResponse, error) {
	stream, err := l.AssembleToolCalls(ctx)
	if err != nil {
		return nil, err
	}
	header := &pb.AssembleHeader{Provider: provider, Format: l.format, WritingTools: []string{filesWrite}}
	message := &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Header{Header: header}}
	for chunk := make([]byte, 32<<10); stream.Send(message) == nil; {
		n, err := body.Read(chunk)
		if n == 0 && err != nil {
			break
		}
		message = &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Body{Body: chunk[:n]}}
	}
	return stream.CloseAndRecv() // it also says why a message could not be sent
}
