package providers_test

import (
	"context"
	"net/http"
	neturl "net/url"

	"github.com/ollama/ollama/api"
)

func connectOllama(url string) map[string]driver {
	base, err := neturl.Parse(url + "/ollama")
	if err != nil {
		panic(err) // the address of our mock
	}
	return map[string]driver{"ollama": ollama{api.NewClient(base, http.DefaultClient)}}
}

type ollama struct{ client *api.Client }

func (d ollama) chat(ctx context.Context, j *job, stream bool) (content string, calls []call, err error) {
	request := &api.ChatRequest{Model: j.Model, Stream: &stream}
	if request.Messages, err = decode[api.Message](j.Messages); err != nil {
		return "", nil, err
	}
	if request.Tools, err = decode[api.Tool](j.Tools); err != nil {
		return "", nil, err
	}
	err = d.client.Chat(ctx, request, func(part api.ChatResponse) error {
		content += part.Message.Content
		for _, c := range part.Message.ToolCalls {
			calls = append(calls, call{ID: c.ID, Name: c.Function.Name, Arguments: []byte(text(c.Function.Arguments))})
		}
		return nil
	})
	return content, calls, err
}

func (d ollama) turns(ctx context.Context, j *job) (string, error) {
	content, _, err := d.chat(ctx, j, false)
	return content, err
}

func (d ollama) streams(ctx context.Context, j *job) (string, []call, error) {
	return d.chat(ctx, j, true)
}
