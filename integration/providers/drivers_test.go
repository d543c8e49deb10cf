package providers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// A driver does jobs of one provider with an SDK for Go. It returns what the SDK read.
type driver interface {
	turns(ctx context.Context, j *job) (content string, err error)
	streams(ctx context.Context, j *job) (content string, calls []call, err error)
}

// goSDKs are the SDKs for Go: the module of each, and what makes its drivers.
var goSDKs = []struct {
	name, module string
	connect      func(url string) map[string]driver
}{
	{"go-anthropic", "github.com/anthropics/anthropic-sdk-go", connectAnthropic},
	{"go-bedrockruntime", "github.com/aws/aws-sdk-go-v2/service/bedrockruntime", connectBedrock},
	{"go-genai", "google.golang.org/genai", connectGenai},
	{"go-ollama", "github.com/ollama/ollama", connectOllama},
	{"go-openai", "github.com/openai/openai-go/v3", connectOpenAI},
}

// driveGo does jobs with the SDKs for Go.
func driveGo(ctx context.Context, url string, jobs []job) (all []done, err error) {
	for _, sdk := range goSDKs {
		version, err := moduleVersion(ctx, sdk.module)
		if err != nil {
			return nil, err
		}
		drivers := sdk.connect(url + "/" + sdk.name)
		for i := range jobs {
			j := &jobs[i]
			if d := drivers[j.Provider]; d != nil {
				result := done{SDK: sdk.name, Package: sdk.module, Version: version, Job: j.ID}
				result.of(ctx, d, j)
				all = append(all, result)
			}
		}
	}
	return all, nil
}

// of does a job.
func (r *done) of(ctx context.Context, d driver, j *job) {
	var err error
	if j.Kind == turns {
		r.Content, err = d.turns(ctx, j)
	} else {
		r.Content, r.ToolCalls, err = d.streams(ctx, j)
	}
	if err != nil {
		r.Error = err.Error()
	}
}

// moduleVersion asks the go command: the binary of a test does not know its modules.
func moduleVersion(ctx context.Context, path string) (string, error) {
	version, err := output(ctx, ".", nil, "go", "list", "-m", "-f", "{{.Version}}", path)
	return strings.TrimSpace(version), err
}

// decode reads the parts of a list with an SDK's own decoder.
func decode[T any](list []json.RawMessage) ([]T, error) {
	decoded := make([]T, len(list))
	for i, one := range list {
		if err := json.Unmarshal(one, &decoded[i]); err != nil {
			return nil, fmt.Errorf("the SDK cannot read %s: %w", one, err)
		}
	}
	return decoded, nil
}
