package providers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// users are the messages of a user around a turn, by provider.
var users = map[string]string{
	"anthropic_messages": `{"role": "user", "content": "Go on."}`,
	"bedrock_converse":   `{"role": "user", "content": [{"text": "Go on."}]}`,
	"gemini":             `{"role": "user", "parts": [{"text": "Go on."}]}`,
	"mistral":            `{"role": "user", "content": "Go on."}`,
	"ollama":             `{"role": "user", "content": "Go on."}`,
	"openai_chat":        `{"role": "user", "content": "Go on."}`,
	"openai_responses":   `{"type": "message", "role": "user", "content": "Go on."}`,
}

// readJobs makes a job of every fixture. A provider without any is an error. The streams
// that no SDK is given come back in left, by the reasons that they have.
func readJobs(root string) (jobs []job, left map[string][]string, err error) {
	left = map[string][]string{}
	for _, provider := range slices.Sorted(maps.Keys(users)) {
		all, err := readTurns(root, provider)
		if err != nil {
			return nil, nil, err
		}
		jobs = append(jobs, all...)
		if all, err = readStreams(root, provider, left); err != nil {
			return nil, nil, err
		}
		jobs = append(jobs, all...)
	}
	return jobs, left, nil
}

func readTurns(root, provider string) (jobs []job, err error) {
	forms := []struct{ name, suffix, behind string }{{"native", ".json", ""}, {"text", ".text.json", "/text"}}
	for _, form := range forms {
		paths, err := filepath.Glob(filepath.Join(root, string(turns), "*", provider+form.suffix))
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("no fixture %s", filepath.Join(root, string(turns), "*", provider+form.suffix))
		}
		for _, path := range paths {
			name := filepath.Base(filepath.Dir(path))
			j := job{Provider: provider, Kind: turns, Model: "turns-" + form.name + "-" + name, name: name + form.behind}
			if err := j.fill(path); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if form.name == "text" && len(j.Tools) > 0 {
				return nil, fmt.Errorf("%s: a turn in text has native calls: %s", path, j.Tools)
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// fill reads the messages of a turn, and declares the tools that they call.
func (j *job) fill(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &j.Messages); err != nil {
		return err
	}
	j.ID = j.Provider + "/" + string(j.Kind) + "/" + j.name
	if j.Messages, err = conversation(j.Provider, j.Messages); err != nil {
		return err
	}
	var messages any
	if err := json.Unmarshal(content, &messages); err != nil {
		return err
	}
	j.Tools, err = declare(j.Provider, called(messages, nil))
	return err
}

// conversation puts a turn behind a user's message and, where the turn ends with the
// model, before another: providers answer users and tools.
func conversation(provider string, turn []json.RawMessage) ([]json.RawMessage, error) {
	if len(turn) == 0 {
		return nil, errors.New("a turn without messages")
	}
	user := json.RawMessage(users[provider])
	var last struct {
		Role string `json:"role"`
	}
	if err := json.Unmarshal(turn[len(turn)-1], &last); err != nil {
		return nil, err
	}
	if last.Role == "assistant" || last.Role == "model" {
		turn = append(turn, user)
	}
	return slices.Insert(turn, 0, user), nil
}

func readStreams(root, provider string, left map[string][]string) (jobs []job, err error) {
	paths, err := filepath.Glob(filepath.Join(root, string(streams), provider, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		j := job{Provider: provider, Kind: streams, Model: "streams-" + name, name: name, want: &stream{}}
		j.ID = provider + "/" + string(streams) + "/" + name
		j.Messages, j.Tools = []json.RawMessage{json.RawMessage(users[provider])}, []json.RawMessage{}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(content, j.want); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		reason, skip := strings.CutPrefix(j.want.SDK, "skip: ")
		switch {
		case skip:
			left[reason] = append(left[reason], provider+"/"+name)
		case !streamed(provider):
			return nil, fmt.Errorf("%s: no SDK here reads streams of the provider", path)
		case j.want.SDK == "parses":
			jobs = append(jobs, j)
		default:
			return nil, fmt.Errorf(`%s: "sdk" is %q, want "parses" or "skip: " and a reason`, path, j.want.SDK)
		}
	}
	if len(jobs) == 0 && streamed(provider) {
		return nil, fmt.Errorf("no stream for SDKs in %s", filepath.Join(root, string(streams), provider))
	}
	return jobs, nil
}

// streamed says whether an SDK reads streams of a provider. Those of Bedrock are binary
// frames, and no SDK puts calls together from them.
func streamed(provider string) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.provider == provider && r.streams })
}
