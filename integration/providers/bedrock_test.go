package providers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

func connectBedrock(url string) map[string]driver {
	client := bedrockruntime.New(bedrockruntime.Options{
		BaseEndpoint: aws.String(url + "/bedrock"),
		Region:       "us-east-1",
		// With the SDK's own client a connection was closed while its answer was read, once, on a busy machine.
		HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
		}),
	})
	return map[string]driver{"bedrock_converse": bedrock{client}}
}

type bedrock struct{ client *bedrockruntime.Client }

// streams is never called: there is no row for it.
func (d bedrock) streams(context.Context, *job) (string, []call, error) {
	return "", nil, errors.ErrUnsupported
}

func (d bedrock) turns(ctx context.Context, j *job) (string, error) {
	input := &bedrockruntime.ConverseInput{ModelId: &j.Model}
	for _, m := range j.Messages {
		message, err := converseMessage(m)
		if err != nil {
			return "", err
		}
		input.Messages = append(input.Messages, message)
	}
	tools, err := decode[struct {
		ToolSpec struct {
			Name        *string
			InputSchema struct{ JSON any }
		}
	}](j.Tools)
	if err != nil {
		return "", err
	}
	for _, t := range tools {
		if input.ToolConfig == nil {
			input.ToolConfig = &types.ToolConfiguration{}
		}
		schema := &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(t.ToolSpec.InputSchema.JSON)}
		spec := types.ToolSpecification{Name: t.ToolSpec.Name, InputSchema: schema}
		input.ToolConfig.Tools = append(input.ToolConfig.Tools, &types.ToolMemberToolSpec{Value: spec})
	}
	answer, err := d.client.Converse(ctx, input)
	if err != nil {
		return "", err
	}
	message, ok := answer.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return "", fmt.Errorf("the output is a %T", answer.Output)
	}
	block, ok := message.Value.Content[0].(*types.ContentBlockMemberText)
	if !ok {
		return "", fmt.Errorf("the content is a %T", message.Value.Content[0])
	}
	return block.Value, nil
}

// converseBlock is what we have of the SDK's unions of blocks, as JSON: its own types
// can be written as JSON, but not read.
type converseBlock struct {
	Text  *string `json:"text"`
	JSON  any     `json:"json"`
	Image *struct {
		Format types.ImageFormat `json:"format"`
		Source struct {
			Bytes []byte `json:"bytes"`
		} `json:"source"`
	} `json:"image"`
	Document *struct {
		Format types.DocumentFormat `json:"format"`
		Name   *string              `json:"name"`
		Source struct {
			Bytes []byte `json:"bytes"`
		} `json:"source"`
	} `json:"document"`
	ReasoningContent *struct {
		ReasoningText struct {
			Text      *string `json:"text"`
			Signature *string `json:"signature"`
		} `json:"reasoningText"`
	} `json:"reasoningContent"`
	ToolUse *struct {
		ToolUseID *string `json:"toolUseId"`
		Name      *string `json:"name"`
		Input     any     `json:"input"`
	} `json:"toolUse"`
	ToolResult *struct {
		ToolUseID *string                `json:"toolUseId"`
		Status    types.ToolResultStatus `json:"status"`
		Content   []json.RawMessage      `json:"content"`
	} `json:"toolResult"`
}

func converseMessage(written json.RawMessage) (m types.Message, err error) {
	var read struct {
		Role    types.ConversationRole `json:"role"`
		Content []json.RawMessage      `json:"content"`
	}
	if err := json.Unmarshal(written, &read); err != nil {
		return m, err
	}
	m.Role = read.Role
	blocks, err := decode[converseBlock](read.Content)
	if err != nil {
		return m, err
	}
	for i, b := range blocks {
		block, err := b.block()
		if err != nil {
			return m, fmt.Errorf("%w: %s", err, read.Content[i])
		}
		m.Content = append(m.Content, block)
	}
	return m, nil
}

func (b *converseBlock) block() (types.ContentBlock, error) {
	switch {
	case b.Text != nil:
		return &types.ContentBlockMemberText{Value: *b.Text}, nil
	case b.Image != nil:
		return &types.ContentBlockMemberImage{Value: b.image()}, nil
	case b.Document != nil:
		return &types.ContentBlockMemberDocument{Value: b.document()}, nil
	case b.ReasoningContent != nil:
		read := b.ReasoningContent.ReasoningText
		text := types.ReasoningTextBlock{Text: read.Text, Signature: read.Signature}
		reasoning := &types.ReasoningContentBlockMemberReasoningText{Value: text}
		return &types.ContentBlockMemberReasoningContent{Value: reasoning}, nil
	case b.ToolUse != nil:
		input := document.NewLazyDocument(b.ToolUse.Input)
		use := types.ToolUseBlock{ToolUseId: b.ToolUse.ToolUseID, Name: b.ToolUse.Name, Input: input}
		return &types.ContentBlockMemberToolUse{Value: use}, nil
	case b.ToolResult != nil:
		result := types.ToolResultBlock{ToolUseId: b.ToolResult.ToolUseID, Status: b.ToolResult.Status}
		result.Content = []types.ToolResultContentBlock{} // required, also where it is empty
		inner, err := decode[converseBlock](b.ToolResult.Content)
		if err != nil {
			return nil, err
		}
		for _, b := range inner {
			block, err := b.resultBlock()
			if err != nil {
				return nil, err
			}
			result.Content = append(result.Content, block)
		}
		return &types.ContentBlockMemberToolResult{Value: result}, nil
	}
	return nil, errUnknownBlock
}

var errUnknownBlock = errors.New("bedrock_test.go does not know this block of Converse")

func (b *converseBlock) resultBlock() (types.ToolResultContentBlock, error) {
	switch {
	case b.Text != nil:
		return &types.ToolResultContentBlockMemberText{Value: *b.Text}, nil
	case b.JSON != nil:
		return &types.ToolResultContentBlockMemberJson{Value: document.NewLazyDocument(b.JSON)}, nil
	case b.Image != nil:
		return &types.ToolResultContentBlockMemberImage{Value: b.image()}, nil
	case b.Document != nil:
		return &types.ToolResultContentBlockMemberDocument{Value: b.document()}, nil
	}
	return nil, errUnknownBlock
}

func (b *converseBlock) image() types.ImageBlock {
	return types.ImageBlock{Format: b.Image.Format, Source: &types.ImageSourceMemberBytes{Value: b.Image.Source.Bytes}}
}

func (b *converseBlock) document() types.DocumentBlock {
	source := &types.DocumentSourceMemberBytes{Value: b.Document.Source.Bytes}
	return types.DocumentBlock{Format: b.Document.Format, Name: b.Document.Name, Source: source}
}
