package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// Output has three forms. receipt is the text that a model reads, and nothing else, so that it can be piped into a prompt.
// json is the RFC's JSON of canonical results, and protobuf's JSON of other messages. textproto is the answer of the RPC
// as it is, for people who look for a field. render and compact read what json and textproto print.

// receiptForms are the forms of commands that print receipts.
var receiptForms = []string{"receipt", formJSON, "textproto"}

// errForm returns the error of a form that a command does not have.
func errForm(form string, forms []string) error {
	return fmt.Errorf("--output %s: %s", form, listed(forms))
}

// printProjection prints the answer of Project in a form of --output.
func printProjection(w io.Writer, form string, resp *pb.ProjectResponse) error {
	if form == "json" {
		return printPair(w, resp.GetCanonical(), resp.GetReceipt())
	}
	return printMessage(w, form, resp.GetReceipt().GetText(), resp)
}

// projected is a result of an answer, with both of its surfaces: those of ProjectTurn and of Compact have it.
type projected interface {
	GetCanonical() *pb.CanonicalToolResult
	GetReceipt() *pb.Receipt
}

// printAll prints the results of an answer in a form of --output. Between two receipts is an empty line; in json each result
// is a value of its own, as readResults reads them.
func printAll[R projected](w io.Writer, form string, resp proto.Message, results []R) error {
	if form != "json" && form != "receipt" {
		return printMessage(w, form, "", resp)
	}
	for i, r := range results {
		if form == "json" {
			if err := printPair(w, r.GetCanonical(), r.GetReceipt()); err != nil {
				return err
			}
			continue
		}
		text := r.GetReceipt().GetText()
		if i > 0 {
			text = "\n" + text
		}
		if err := writeln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// printPair prints a JSON object with the canonical result, in the RFC's JSON, and the receipt. render and compact read it.
func printPair(w io.Writer, canonical *pb.CanonicalToolResult, receipt *pb.Receipt) error {
	text, err := envelope.ToJSON(canonical)
	if err != nil {
		return err
	}
	// The receipt is a message of the contract, which the RFC does not define, so it has protobuf's JSON.
	message, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(receipt)
	if err != nil {
		return err
	}
	pair := fmt.Sprintf(`{"canonical":%s,"receipt":%s}`, text, message)
	return printIndented(w, []byte(pair))
}

// printMessage prints a message in a form of --output; receipt is the text of the form "receipt". The flag rejects other forms.
func printMessage(w io.Writer, form, receipt string, m proto.Message) error {
	switch form {
	case "receipt":
		return writeln(w, receipt)
	case "json":
		return printJSON(w, m)
	case "textproto":
		return writeln(w, prototext.Format(m))
	}
	return errForm(form, receiptForms)
}

// printJSON prints a message with all its fields, also those without a value: jq and people see 0 and "" where protobuf's
// JSON would have nothing.
func printJSON(w io.Writer, m proto.Message) error {
	text, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(m)
	if err != nil {
		return err
	}
	return printIndented(w, text)
}

// printIndented prints JSON indented. protojson varies its white space on purpose; this replaces it.
func printIndented(w io.Writer, text []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	return writeln(w, b.String())
}

// explain returns the message of an error; of a status error, with its code and the reason of its details. Reasons are
// stable and documented (docs/reference/errors.md), so that the line can be searched for.
func explain(err error) string {
	rejected, ok := errors.AsType[interface {
		error
		GRPCStatus() *status.Status
	}](err)
	if !ok {
		return err.Error()
	}
	st := rejected.GRPCStatus()
	text := st.Code().String() + ": " + st.Message()
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			text += " [" + info.GetReason() + "]"
		}
	}
	return text
}

// writeln writes a line. Its error is that of a full disk or of a pipe without a reader, which ends the command.
func writeln(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, text)
	return err
}
