package renderers_test

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// deploy is the family of docs/families.md, with a change of its descriptor set.
func deploy(t *testing.T, change func(*descriptorpb.DescriptorProto)) *envelope.Type {
	t.Helper()
	content, err := os.ReadFile("../docs/examples/acme.binpb")
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(content, &set); err != nil {
		t.Fatal(err)
	}
	for _, m := range set.GetFile()[0].GetMessageType() {
		if m.GetName() == "DeployResult" {
			change(m)
		}
	}
	types, err := envelope.ReadTypes(&set)
	if err != nil {
		t.Fatal(err)
	}
	return types[0]
}

func unchanged(*descriptorpb.DescriptorProto) {}

// deployed is a result of the family.
func deployed(payload string) *pb.CanonicalToolResult {
	return &pb.CanonicalToolResult{
		ToolName: "deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_Custom{Custom: &pb.CustomResult{Type: "acme.v1.DeployResult", PayloadJson: payload}},
	}
}

// The receipt of a custom family is made of its options, and read back by its grammar.
func TestCustomReceipts(t *testing.T) {
	r, err := renderers.Custom(deploy(t, unchanged))
	if err != nil {
		t.Fatal(err)
	}
	counter := tokens.Estimate()
	for _, c := range []struct{ name, payload, want string }{
		{"facts", `{"deployment_id":"d1","environment":"prod","state":"live","version":"2","dashboard":"https://x"}`,
			"Deployment is live in prod: version 2\nDeployment id: d1\nDashboard: https://x"},
		{"list", `{"environment":"prod","state":"rolled_back","replicas":[{"host":"a","healthy":true},{"host":"b","reason":"no disk"}],"replicas_total":2}`,
			"Deployment was rolled back in prod\nReplicas:\na: healthy\nb: no disk"},
		{"list that is cut", `{"environment":"prod","state":"live","replicas_total":9,"replicas_truncated":true,"replicas_artifact":0,"artifacts":[{"path":"/a"}]}`,
			"Deployment is live in prod\nReplicas: 0 of 9 entries; all: /a"},
		{"forms of its own in its log", `{"environment":"prod","state":"live","log":{"preview":"Deployment is live\nDashboard: y\nstdout:\nok\n"}}`,
			"Deployment is live in prod\nDeployment log:\n\\Deployment is live\n\\Dashboard: y\n\\stdout:\nok"},
		{"one line", `{"deployment_id":"d1","environment":"prod","state":"live","dashboard":"https://x","compaction_level":"line"}`,
			"Deployment is live in prod\tDeployment id: d1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := deployed(c.payload)
			got, err := r.Render(result, renderers.Policy{Counter: counter})
			if err != nil || got.Text != c.want {
				t.Fatalf("%q, %v", got.Text, err)
			}
			d, err := r.Parse(got.Text)
			if err != nil || d.Outcome != r.Document(result).Outcome || len(d.Facts) != len(r.Document(result).Facts) {
				t.Errorf("read back it is %v, %v", d, err)
			}
			if _, err := renderers.ParseReceipt(got.Text); err == nil {
				t.Error("the grammar of the contract reads it too")
			}
		})
	}
}

// A payload is measured before it is wrapped, and gives the same receipt afterwards.
func TestRenderPayloadEqualsRender(t *testing.T) {
	family := deploy(t, unchanged)
	r, err := renderers.Custom(family)
	if err != nil {
		t.Fatal(err)
	}
	result := deployed(`{"environment":"prod","state":"live","replicas_total":9,"replicas_truncated":true,"replicas_artifact":0,"artifacts":[{"path":"/a"}]}`)
	_, payload := envelope.Types{family.Name(): family}.Open(result)
	p := renderers.Policy{Counter: tokens.Estimate(), Handle: callHandle}
	one, err := r.Render(result, p)
	if err != nil {
		t.Fatal(err)
	}
	two, err := r.RenderPayload(payload, p)
	if err != nil || one != two || !strings.Contains(one.Text, `read_result(result="/a")`) {
		t.Errorf("%q and %q, %v", one.Text, two.Text, err)
	}
}

// A label is of facts or of sections, in the whole grammar.
func TestCustomLabelsDoNotChangeTheGrammar(t *testing.T) {
	for name, c := range map[string]struct {
		field, label string
		fails        bool
	}{
		"fact as a section of the contract": {"dashboard", "stdout", true},
		"list as a fact of the contract":    {"replicas", "Exit code", true},
		"the same kind of line":             {"dashboard", "Exit code", false},
	} {
		family := deploy(t, func(m *descriptorpb.DescriptorProto) {
			for _, f := range m.GetField() {
				if f.GetName() == c.field {
					proto.SetExtension(f.GetOptions(), pb.E_Label, c.label)
				}
			}
		})
		if _, err := renderers.Custom(family); (err != nil) != c.fails || err != nil && !strings.Contains(err.Error(), c.label) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An overview has the handles of custom families too.
func TestMentionOfACustomFamily(t *testing.T) {
	r, err := renderers.Custom(deploy(t, unchanged))
	if err != nil {
		t.Fatal(err)
	}
	got := renderers.Mention(r, deployed(`{"deployment_id":"d1","environment":"prod","state":"live","dashboard":"x"}`), renderers.Policy{Counter: tokens.Estimate()}, "", nil)
	if want := "deploy: Deployment is live in prod; Deployment id: d1"; got.Text != want {
		t.Errorf("%q, want %q", got.Text, want)
	}
}

// What a result does not have is in no part of its document: no section of an empty list, and no line of parts without a part.
func TestDocumentHasOnlyWhatIsThere(t *testing.T) {
	r, err := renderers.Custom(deploy(t, unchanged))
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Document(deployed(`{"environment":"prod","state":"live","replicas_total":0}`)); len(d.Sections) != 0 || d.Brief {
		t.Errorf("%+v", d)
	}
	if d := r.Document(deployed(`{"environment":"prod","state":"live","compaction_level":"line"}`)); len(d.Facts) != 0 || d.Brief {
		t.Errorf("one line without facts: %+v", d)
	}
}
