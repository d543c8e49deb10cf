package providers_test

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func connectAnthropic(url string) map[string]driver {
	client := anthropic.NewClient(option.WithBaseURL(url+"/anthropic"), option.WithAPIKey("none"), option.WithMaxRetries(0))
	return map[string]driver{"anthropic_messages": anthropicMessages{client}}
}

type anthropicMessages struct{ client anthropic.Client }

func (d anthropicMessages) params(j *job) (p anthropic.MessageNewParams, err error) {
	p.Model, p.MaxTokens = j.Model, 1000
	if p.Messages, err = decode[anthropic.MessageParam](j.Messages); err != nil {
		return p, err
	}
	p.Tools, err = decode[anthropic.ToolUnionParam](j.Tools)
	return p, err
}

func (d anthropicMessages) turns(ctx context.Context, j *job) (string, error) {
	p, err := d.params(j)
	if err != nil {
		return "", err
	}
	answer, err := d.client.Messages.New(ctx, p)
	if err != nil {
		return "", err
	}
	return answer.Content[0].Text, nil
}

func (d anthropicMessages) streams(ctx context.Context, j *job) (content string, calls []call, err error) {
	p, err := d.params(j)
	if err != nil {
		return "", nil, err
	}
	stream := d.client.Messages.NewStreaming(ctx, p)
	var whole anthropic.Message
	for stream.Next() {
		if err := whole.Accumulate(stream.Current()); err != nil {
			return "", nil, err
		}
	}
	for _, block := range whole.Content {
		switch block := block.AsAny().(type) {
		case anthropic.TextBlock:
			content += block.Text
		case anthropic.ToolUseBlock:
			calls = append(calls, call{ID: block.ID, Name: block.Name, Arguments: block.Input})
		}
	}
	return content, calls, stream.Err()
}
