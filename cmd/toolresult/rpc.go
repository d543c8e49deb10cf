package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// call is what the commands that call one RPC share: data from stdin, policy
// from flags.
type call struct {
	target        target
	policy        policyFlags
	input, output string
	family        string
}

func (c *call) flags(cmd *cobra.Command, input, output string) {
	c.target.flags(cmd.Flags())
	cmd.Flags().StringVar(&c.input, "input", "json", input)
	cmd.Flags().StringVar(&c.output, "output", "receipt", output)
}

const outputs = "receipt, json (canonical results in the RFC's JSON) or textproto"

func projectCommand() *cobra.Command {
	var c call
	var of reference
	cmd := &cobra.Command{
		Use: "project", Short: "Project a complete tool output from stdin", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req := &pb.ProjectRequest{Output: &pb.CompleteToolOutput{}}
			if err := c.read(cmd.InOrStdin(), req.GetOutput()); err != nil {
				return err
			}
			var err error
			if req.Policy, err = c.policy.projection(); err != nil {
				return err
			}
			if req.Call, err = of.message(); err != nil {
				return err
			}
			return c.target.with(cmd.Context(), func(conn *connection) error {
				resp, err := conn.Project(cmd.Context(), req)
				if err != nil {
					return err
				}
				return printProjection(cmd.OutOrStdout(), c.output, resp)
			})
		},
	}
	c.flags(cmd, "form of the CompleteToolOutput on stdin: json (protobuf's) or textproto", outputs)
	c.policy.flags(cmd.Flags())
	of.flags(cmd.Flags())
	return cmd
}

func renderCommand() *cobra.Command {
	var c call
	cmd := &cobra.Command{
		Use: "render", Short: "Render a canonical result from stdin", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			results, err := c.results(cmd.InOrStdin())
			if err != nil {
				return err
			}
			if len(results) != 1 {
				return fmt.Errorf("stdin has %d canonical results, render takes one", len(results))
			}
			policy, err := c.policy.render()
			if err != nil {
				return err
			}
			return c.target.with(cmd.Context(), func(conn *connection) error {
				resp, err := conn.Render(cmd.Context(), &pb.RenderRequest{Canonical: results[0], Policy: policy})
				if err != nil {
					return err
				}
				return printMessage(cmd.OutOrStdout(), c.output, resp.GetReceipt().GetText(), resp)
			})
		},
	}
	c.flags(cmd, "form of the canonical result on stdin: json (the RFC's) or textproto", "receipt, json or textproto")
	c.policy.renderFlags(cmd.Flags())
	cmd.Flags().StringVar(&c.family, "family", "", `family of "result" in the RFC's JSON, where its fields do not tell`)
	return cmd
}

func compactCommand() *cobra.Command {
	var c call
	var level string
	var previewTokens uint32
	cmd := &cobra.Command{
		Use: "compact", Short: "Compact canonical results from stdin, oldest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			results, err := c.results(cmd.InOrStdin())
			if err != nil {
				return err
			}
			render, err := c.policy.render()
			if err != nil {
				return err
			}
			n, err := enumValue("COMPACTION_LEVEL_", level, pb.CompactionLevel_value)
			if err != nil {
				return err
			}
			policy := &pb.CompactionPolicy{Level: pb.CompactionLevel(n), PreviewTokens: previewTokens, Render: render}
			return c.target.with(cmd.Context(), func(conn *connection) error {
				resp, err := conn.Compact(cmd.Context(), &pb.CompactRequest{Results: results, Policy: policy})
				if err != nil {
					return err
				}
				return printCompaction(cmd.OutOrStdout(), c.output, resp)
			})
		},
	}
	c.flags(cmd, "form of the results on stdin: json (the RFC's, one after the other) or textproto (a CompactRequest)", outputs)
	c.policy.renderFlags(cmd.Flags())
	cmd.Flags().StringVar(&level, "level", "trimmed", "trimmed or handles")
	cmd.Flags().Uint32Var(&previewTokens, "preview-tokens", 0, "tokens that each preview may keep at level trimmed (default: 256)")
	cmd.Flags().StringVar(&c.family, "family", "", `family of "result" in the RFC's JSON, where its fields do not tell`)
	return cmd
}

// read reads one message of protobuf from stdin.
func (c *call) read(r io.Reader, into proto.Message) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	switch c.input {
	case "json":
		return protojson.Unmarshal(text, into)
	case "textproto":
		return prototext.Unmarshal(text, into)
	}
	return fmt.Errorf("--input %s: json or textproto", c.input)
}

// results reads canonical results: RFC JSON values one after the other, or
// textproto of one CanonicalToolResult or of a CompactRequest.
func (c *call) results(r io.Reader) ([]*pb.CanonicalToolResult, error) {
	if c.input == "textproto" {
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		var one pb.CanonicalToolResult
		if prototext.Unmarshal(text, &one) == nil {
			return []*pb.CanonicalToolResult{&one}, nil
		}
		var many pb.CompactRequest
		err = prototext.Unmarshal(text, &many)
		return many.GetResults(), err
	}
	if c.input != "json" {
		return nil, fmt.Errorf("--input %s: json or textproto", c.input)
	}
	var results []*pb.CanonicalToolResult
	for dec := json.NewDecoder(r); dec.More(); {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		result, err := envelope.FromJSON(value, c.family)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

func printProjection(w io.Writer, form string, resp *pb.ProjectResponse) error {
	if form == "json" {
		return printPair(w, resp.GetCanonical(), resp.GetReceipt())
	}
	return printMessage(w, form, resp.GetReceipt().GetText(), resp)
}

func printCompaction(w io.Writer, form string, resp *pb.CompactResponse) error {
	if form == "textproto" {
		return printMessage(w, form, "", resp)
	}
	for i, r := range resp.GetResults() {
		if form == "json" {
			if err := printPair(w, r.GetCanonical(), r.GetReceipt()); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			if err := writeln(w, ""); err != nil {
				return err
			}
		}
		if err := printMessage(w, form, r.GetReceipt().GetText(), resp); err != nil {
			return err
		}
	}
	return nil
}

// printPair prints both surfaces of a result: the canonical one in the RFC's
// JSON, so that render and compact read it again, and the receipt.
func printPair(w io.Writer, canonical *pb.CanonicalToolResult, receipt *pb.Receipt) error {
	text, err := envelope.ToJSON(canonical)
	if err != nil {
		return err
	}
	message, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(receipt)
	if err != nil {
		return err
	}
	pair := fmt.Sprintf(`{"canonical":%s,"receipt":%s}`, text, message)
	return printIndented(w, []byte(pair))
}

func printMessage(w io.Writer, form, receipt string, m proto.Message) error {
	switch form {
	case "receipt":
		return writeln(w, receipt)
	case "json":
		return printJSON(w, m)
	case "textproto":
		return writeln(w, prototext.Format(m))
	}
	return fmt.Errorf("--output %s: receipt, json or textproto", form)
}

func printJSON(w io.Writer, m proto.Message) error {
	text, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(m)
	if err != nil {
		return err
	}
	return printIndented(w, text)
}

// printIndented undoes the white space that protojson varies on purpose.
func printIndented(w io.Writer, text []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	return writeln(w, b.String())
}
