package providers_test

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func connectOpenAI(url string) map[string]driver {
	client := openai.NewClient(option.WithBaseURL(url+"/openai/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
	return map[string]driver{"openai_chat": openAIChat{client}, "openai_responses": openAIResponses{client}}
}

type openAIChat struct{ client openai.Client }

func (d openAIChat) params(j *job) (p openai.ChatCompletionNewParams, err error) {
	p.Model = j.Model
	if p.Messages, err = decode[openai.ChatCompletionMessageParamUnion](j.Messages); err != nil {
		return p, err
	}
	p.Tools, err = decode[openai.ChatCompletionToolUnionParam](j.Tools)
	return p, err
}

func (d openAIChat) turns(ctx context.Context, j *job) (string, error) {
	p, err := d.params(j)
	if err != nil {
		return "", err
	}
	answer, err := d.client.Chat.Completions.New(ctx, p)
	if err != nil {
		return "", err
	}
	return answer.Choices[0].Message.Content, nil
}

func (d openAIChat) streams(ctx context.Context, j *job) (string, []call, error) {
	p, err := d.params(j)
	if err != nil {
		return "", nil, err
	}
	stream := d.client.Chat.Completions.NewStreaming(ctx, p)
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			return "", nil, errors.New("the accumulator refuses a chunk")
		}
	}
	if err := stream.Err(); err != nil || len(whole.Choices) == 0 {
		return "", nil, errors.Join(err, errors.New("no choice"))
	}
	var calls []call
	for _, c := range whole.Choices[0].Message.ToolCalls {
		if c.Type == "custom" {
			calls = append(calls, call{ID: c.ID, Name: c.Custom.Name, Input: &c.Custom.Input})
			continue
		}
		calls = append(calls, call{ID: c.ID, Name: c.Function.Name, Arguments: json.RawMessage(text(c.Function.Arguments))})
	}
	return whole.Choices[0].Message.Content, calls, nil
}

type openAIResponses struct{ client openai.Client }

func (d openAIResponses) params(j *job) (p responses.ResponseNewParams, err error) {
	p.Model = j.Model
	if p.Input.OfInputItemList, err = decode[responses.ResponseInputItemUnionParam](j.Messages); err != nil {
		return p, err
	}
	p.Tools, err = decode[responses.ToolUnionParam](j.Tools)
	return p, err
}

func (d openAIResponses) turns(ctx context.Context, j *job) (string, error) {
	p, err := d.params(j)
	if err != nil {
		return "", err
	}
	answer, err := d.client.Responses.New(ctx, p)
	if err != nil {
		return "", err
	}
	return answer.OutputText(), nil
}

// streams takes the response of the last event: the SDK accumulates nothing.
func (d openAIResponses) streams(ctx context.Context, j *job) (string, []call, error) {
	p, err := d.params(j)
	if err != nil {
		return "", nil, err
	}
	stream := d.client.Responses.NewStreaming(ctx, p)
	var whole responses.Response
	for stream.Next() {
		if event := stream.Current(); event.Type == "response.completed" || event.Type == "response.incomplete" {
			whole = event.Response
		}
	}
	var calls []call
	for _, item := range whole.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseFunctionToolCall:
			calls = append(calls, call{ID: item.CallID, Name: item.Name, Arguments: json.RawMessage(text(item.Arguments))})
		case responses.ResponseCustomToolCall:
			calls = append(calls, call{ID: item.CallID, Name: item.Name, Input: &item.Input})
		}
	}
	return whole.OutputText(), calls, stream.Err()
}
