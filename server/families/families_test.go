package families_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/server/families"
)

// example is the descriptor set of docs/families.md; its families are deploy and restart.
const (
	example = "../../docs/examples/acme.binpb"
	deploy  = "acme.v1.DeployResult"
	restart = "acme.v1.RestartResult"
)

// registry returns the families of the contract and of the example.
func registry(t *testing.T) *families.Registry {
	t.Helper()
	custom, err := families.LoadCustomFamilies(example)
	if err != nil {
		t.Fatal(err)
	}
	r, err := families.NewRegistry(append(families.BuiltIn(), custom...)...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEveryCaseOfTheContractHasItsFamily finds the family of an output and of a result by the case that each has set.
func TestEveryCaseOfTheContractHasItsFamily(t *testing.T) {
	t.Parallel()
	r := registry(t)
	complete, canonical := envelope.OneofFields()
	for i := range complete {
		name := string(complete[i].Name())
		if name == envelope.CustomCase {
			continue
		}
		out, result := &pb.CompleteToolOutput{}, &pb.CanonicalToolResult{}
		out.ProtoReflect().Mutable(complete[i])
		result.ProtoReflect().Mutable(canonical[i])
		f, err := r.ForOutput(out)
		if err != nil || f == nil || f.Name != name || f != r.ByName(name) {
			t.Errorf("%s: the output is of %+v, %v", name, f, err)
		}
		if got := r.ForResult(result); got != f || r.NameOf(result) != name {
			t.Errorf("%s: the result is of %q", name, r.NameOf(result))
		}
		if got := r.Messages(result); len(got) != 1 || got[0].Descriptor() != canonical[i].Message() {
			t.Errorf("%s: messages are %v", name, got)
		}
		if parse, known := r.Parser(name); !known || parse == nil {
			t.Errorf("%s: no parser", name)
		}
	}
	if want := len(canonical) - 1 + 2; len(r.Names()) != want || r.Names()[0] != "text" || !slices.Equal(r.Names()[want-2:], []string{deploy, restart}) {
		t.Errorf("names are %q", r.Names())
	}
}

func TestErrorsAreOfTheFamilyOfErrors(t *testing.T) {
	t.Parallel()
	r := registry(t)
	of, err := r.ForOutput(&pb.CompleteToolOutput{Error: &pb.CompleteToolError{}, Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{}}})
	result := &pb.CanonicalToolResult{Error: &pb.ToolError{Kind: "odd"}, Result: &pb.CanonicalToolResult_Text{Text: &pb.TextResult{}}}
	if err != nil || of != r.ErrorFamily() || r.ForResult(result) != of || r.NameOf(result) != "error" || of.Tokens != families.ErrorTokens {
		t.Errorf("%v, %v, %q", of, err, r.NameOf(result))
	}
	if r.ByName("error") != nil || slices.Contains(r.Names(), "error") {
		t.Error("errors have a family in the list")
	}
	got := r.Messages(result)
	if len(got) != 2 || got[0].Interface() != result.GetError() || got[1].Interface() != result.GetText() {
		t.Errorf("messages are %v", got)
	}
	if got := r.Messages(&pb.CanonicalToolResult{}); len(got) != 0 || r.NameOf(&pb.CanonicalToolResult{}) != "" {
		t.Errorf("an empty result has %v and the family %q", got, r.NameOf(&pb.CanonicalToolResult{}))
	}
}

func TestCustomFamilyIsFoundByItsType(t *testing.T) {
	t.Parallel()
	r := registry(t)
	output := func(name string) *pb.CompleteToolOutput {
		return &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Custom{Custom: &pb.CustomOutput{Type: name}}}
	}
	f, err := r.ForOutput(output(deploy))
	if err != nil || f.Type == nil || f.Name != deploy || r.Types()[deploy] != f.Type || len(r.Types()) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	result := &pb.CanonicalToolResult{Result: &pb.CanonicalToolResult_Custom{Custom: &pb.CustomResult{Type: deploy, PayloadJson: `{}`}}}
	if r.ForResult(result) != f || r.NameOf(result) != deploy {
		t.Errorf("the result is of %q", r.NameOf(result))
	}
	if got := r.Messages(result); len(got) != 1 || got[0].Descriptor().FullName() != deploy {
		t.Errorf("messages are %v", got)
	}
	for name, want := range map[string]string{
		"": "type: is required", "acme.v1.Other\n": "type: is no full name", strings.Repeat("a", 200): "type: is no full name",
		"acme.v1.Other": "message: is required",
	} {
		if _, err := r.ForOutput(output(name)); err == nil || !strings.HasPrefix(err.Error(), "output.custom."+want) {
			t.Errorf("%q: %v", name, err)
		}
		if name != "acme.v1.Other" && (r.ForStreams(name) != nil || r.AsText(output(name)).GetText() != nil) {
			t.Errorf("%q is taken for a family", name)
		}
	}
}

// TestParserKnowsTheLabelsOfACustomFamily parses a receipt with a label of the example: only its own parser has the label.
func TestParserKnowsTheLabelsOfACustomFamily(t *testing.T) {
	t.Parallel()
	r := registry(t)
	const receipt = "Deployment was rolled back in production: version 2.4.0\nDeployment id: d-4711"
	for family, known := range map[string]bool{"": true, "error": true, "command": true, deploy: true, "acme.v1.Other": false} {
		parse, ok := r.Parser(family)
		if ok != known || ok != (parse != nil) {
			t.Errorf("%q: known is %v", family, ok)
			continue
		}
		if parse == nil {
			continue
		}
		d, err := parse(receipt)
		if got := err == nil && len(d.Facts) > 0; got != (family == deploy) {
			t.Errorf("%q: %+v, %v", family, d, err)
		}
	}
}

// TestRegistryRejectsHalfFamilies takes a part of one family away, or adds one that the contract does not have.
func TestRegistryRejectsHalfFamilies(t *testing.T) {
	t.Parallel()
	custom, err := families.LoadCustomFamilies(example)
	if err != nil {
		t.Fatal(err)
	}
	change := func(name string, edit func(*families.Family)) []families.Family {
		list := append(families.BuiltIn(), custom...)
		edit(&list[slices.IndexFunc(list, func(f families.Family) bool { return f.Name == name })])
		return list
	}
	for _, c := range []struct {
		list []families.Family
		want string
	}{
		{change("text", func(f *families.Family) { f.Projector = nil }), `family "text": has no projector`},
		{change("command", func(f *families.Family) { f.Renderer = nil }), `family "command": has no renderer`},
		{change("sleep", func(f *families.Family) { f.Tokens = 15 }), `family "sleep": has a default budget of 15 tokens`},
		{change("sleep", func(f *families.Family) { f.Tokens = 200_001 }), `family "sleep": has a default budget of 200001 tokens`},
		{change("sleep", func(f *families.Family) { f.Name = "wait" }), `family "wait": is there twice`},
		{change("sleep", func(f *families.Family) { f.Name = "nap" }), `case "sleep" of the contract has no family`},
		{change("command", func(f *families.Family) { f.Declared = true }), `case "command" of the contract: `},
		{change(deploy, func(f *families.Family) { f.Name = restart }), fmt.Sprintf("family %q: is there twice", restart)},
		{families.BuiltIn()[1:], "35 families for 36 cases"},
	} {
		r, err := families.NewRegistry(c.list...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if r != nil && err != nil && len(r.Names()) == 0 {
			t.Errorf("%s: an empty registry", c.want)
		}
	}
	for _, tokens := range []int{16, 200_000} {
		if _, err := families.NewRegistry(change("sleep", func(f *families.Family) { f.Tokens = tokens })...); err != nil {
			t.Errorf("a budget of %d tokens: %v", tokens, err)
		}
	}
}

// TestDescriptorSetsAreChecked has files that are no descriptor set, and one whose message breaks a convention.
func TestDescriptorSetsAreChecked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sized := func(name string, size int64) string {
		path := file(name, nil)
		if err := os.Truncate(path, size); err != nil { // sparse
			t.Fatal(err)
		}
		return path
	}
	good, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	unlabeled := func(edit func(protoreflect.FullName, *descriptorpb.DescriptorProto)) []byte {
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(good, &set); err != nil {
			t.Fatal(err)
		}
		for _, f := range set.GetFile() {
			for _, m := range f.GetMessageType() {
				edit(protoreflect.FullName(f.GetPackage()+"."+m.GetName()), m)
			}
		}
		text, err := proto.Marshal(&set)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	withoutRetention := unlabeled(func(name protoreflect.FullName, m *descriptorpb.DescriptorProto) {
		if name == deploy {
			m.Field[0].Options = nil
		}
	})
	for name, c := range map[string]struct{ path, want string }{
		"missing":           {filepath.Join(dir, "none"), "no such file"},
		"a directory":       {dir, "is a directory"},
		"no descriptor set": {file("text", []byte("syntax = \"proto3\";")), "the file is no descriptor set"},
		"too large":         {sized("large", 16<<20+1), "the file has 16777217 bytes, at most 16777216 are allowed"},
		"as large":          {sized("as-large", 16<<20), "the file is no descriptor set"},
		"no retention":      {file("bare", withoutRetention), ""},
		"not its own":       {file("other", descriptors(t, (&pb.Cut{}).ProtoReflect().Descriptor().ParentFile())), ""},
	} {
		list, err := families.LoadCustomFamilies(example, c.path)
		if err == nil || len(list) != 0 || !strings.HasPrefix(err.Error(), "families of "+c.path+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d families, %v", name, len(list), err)
		}
	}
	if list, err := families.LoadCustomFamilies(); err != nil || len(list) != 0 {
		t.Errorf("no file: %v, %v", list, err)
	}
}

// descriptors returns a descriptor set of one file.
func descriptors(t *testing.T, f protoreflect.FileDescriptor) []byte {
	t.Helper()
	text, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(f)}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestProfilesOverrideInLayers loads a profile of an operator and one of a project for the same command.
func TestProfilesOverrideInLayers(t *testing.T) {
	t.Parallel()
	if set, err := families.LoadProfiles(nil, nil); err != nil || set != profile.BuiltIn() {
		t.Errorf("without directories: %v, %v", set, err)
	}
	operator, project, bad := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir, text string) {
		if err := os.WriteFile(filepath.Join(dir, "deploy.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("../../docs/examples/profiles/deploy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(operator, string(text))
	write(bad, "match: [")
	for name, c := range map[string]struct {
		operators, projects []string
		fails               bool
	}{
		"operator": {[]string{operator}, nil, false}, "project": {nil, []string{project}, false}, "both": {[]string{operator}, []string{project}, false},
		"bad of an operator": {[]string{operator, bad}, nil, true}, "bad of a project": {nil, []string{bad}, true},
		"meaning of a project": {nil, []string{operator}, true}, // a repository may not say what an exit status means
	} {
		set, err := families.LoadProfiles(c.operators, c.projects)
		if (err != nil) != c.fails || (set == nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
		if c.fails && !strings.Contains(err.Error(), "deploy.yaml") {
			t.Errorf("%s: %v does not name the file", name, err)
		}
	}
	set, err := families.LoadProfiles([]string{operator}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := families.WithProfiles(set)
	for i := range list {
		rules := list[i].LineRules("deploy api") // of the example; other families know texts by their lines alone
		if ofText := slices.Contains([]string{"text", "task_output", "external_mcp", "external_json"}, list[i].Name); (rules != nil) != (ofText || list[i].Name == "command") {
			t.Errorf("%s: rules are %v", list[i].Name, rules)
		}
	}
}
