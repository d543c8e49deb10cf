package providers_test

import (
	"context"
	"encoding/json"

	"google.golang.org/genai"
)

func connectGenai(url string) map[string]driver {
	return map[string]driver{"gemini": gemini{url + "/gemini"}}
}

type gemini struct{ url string }

func (d gemini) client(ctx context.Context) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: "none", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: d.url},
	})
}

func (d gemini) request(j *job) ([]*genai.Content, *genai.GenerateContentConfig, error) {
	contents, err := decode[*genai.Content](j.Messages)
	if err != nil {
		return nil, nil, err
	}
	tools, err := decode[*genai.Tool](j.Tools)
	return contents, &genai.GenerateContentConfig{Tools: tools}, err
}

func (d gemini) turns(ctx context.Context, j *job) (string, error) {
	client, err := d.client(ctx)
	if err != nil {
		return "", err
	}
	contents, config, err := d.request(j)
	if err != nil {
		return "", err
	}
	answer, err := client.Models.GenerateContent(ctx, j.Model, contents, config)
	if err != nil {
		return "", err
	}
	return answer.Text(), nil
}

func (d gemini) streams(ctx context.Context, j *job) (content string, calls []call, err error) {
	client, err := d.client(ctx)
	if err != nil {
		return "", nil, err
	}
	contents, config, err := d.request(j)
	if err != nil {
		return "", nil, err
	}
	for chunk, err := range client.Models.GenerateContentStream(ctx, j.Model, contents, config) {
		if err != nil {
			return "", nil, err
		}
		for _, candidate := range chunk.Candidates {
			if candidate.Content == nil {
				continue
			}
			for _, part := range candidate.Content.Parts {
				switch f := part.FunctionCall; {
				case f != nil && f.Args == nil:
					calls = append(calls, call{ID: f.ID, Name: f.Name, Arguments: json.RawMessage("{}")})
				case f != nil:
					calls = append(calls, call{ID: f.ID, Name: f.Name, Arguments: json.RawMessage(text(f.Args))})
				case !part.Thought:
					content += part.Text
				}
			}
		}
	}
	return content, calls, nil
}
