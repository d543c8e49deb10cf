package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// Every command that prints data has the flag --output with the form json, whose members are in docs/reference/cli-output.md and
// in the JSON Schema beside it. One answer is one object; a list without a bound is one object on each line, which jq, split and
// a pipe that ends early can take.

// Forms of --output. Commands of receipts have receipt, json and textproto.
const (
	formText = "text" // for people
	formJSON = "json"
)

// outputFlag defines the flag --output, which sets form to one of forms; the first of them is the default. about says more of the
// forms than their names; it may be empty.
func outputFlag(fs *pflag.FlagSet, form *string, about string, forms ...string) {
	*form = forms[0]
	fs.VarP(&formValue{form, forms}, "output", "o", strings.TrimSpace(listed(forms)+" "+about))
}

// textOrJSON defines the flag --output of a command that prints text for people by default.
func textOrJSON(fs *pflag.FlagSet, form *string) { outputFlag(fs, form, "", formText, formJSON) }

// listed returns words as a list in a sentence: "receipt, json or textproto".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// formValue implements pflag.Value: one of some forms.
type formValue struct {
	form  *string
	forms []string
}

// String returns the form that is chosen.
func (v *formValue) String() string { return *v.form }

// Type returns the placeholder of the value in the help text.
func (v *formValue) Type() string { return "form" }

// Set chooses a form. Its error lists those that there are.
func (v *formValue) Set(text string) error {
	if !slices.Contains(v.forms, text) {
		return errForm(text, v.forms)
	}
	*v.form = text
	return nil
}

// printValue prints a value of this program as a JSON object, indented.
func printValue(w io.Writer, v any) error {
	text, err := jsonspan.Marshal(v)
	if err != nil {
		return err
	}
	return printIndented(w, text)
}

// printValueLine prints a value of this program as a JSON object on one line, of a list of such lines.
func printValueLine(w io.Writer, v any) error {
	text, err := jsonspan.Marshal(v)
	if err != nil {
		return err
	}
	return writeln(w, string(text))
}

// printMessageLine prints a message of the contract as JSON on one line, with all its fields, also those without a value.
func printMessageLine(w io.Writer, m proto.Message) error {
	return printLine(w, m, protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true})
}

// printLine prints a message on one line. protojson varies its white space on purpose; this removes it, so that the same message
// has the same line each time.
func printLine(w io.Writer, m proto.Message, o protojson.MarshalOptions) error {
	text, err := o.Marshal(m)
	if err != nil {
		return err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return err
	}
	return writeln(w, line.String())
}
