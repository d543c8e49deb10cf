package envelope_test

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// exampleSet is the descriptor set of docs/families.md.
func exampleSet(t *testing.T) *descriptorpb.FileDescriptorSet {
	t.Helper()
	content, err := os.ReadFile("../docs/examples/acme.binpb")
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(content, &set); err != nil {
		t.Fatal(err)
	}
	return &set
}

// What an operator can get wrong is named, with the field.
func TestBrokenFamiliesAreRejected(t *testing.T) {
	for says, change := range brokenFamilies {
		t.Run(says, func(t *testing.T) {
			set := exampleSet(t)
			change(set)
			if _, err := envelope.ReadTypes(set); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v", err)
			}
		})
	}
	types, err := envelope.ReadTypes(exampleSet(t))
	if err != nil || len(types) != 2 || types[0].Name() != "acme.v1.DeployResult" || types[1].Name() != "acme.v1.RestartResult" {
		t.Errorf("%v, %v", types, err)
	}
}

// brokenFamilies has changes that break the families of the example, by a part of their errors.
var brokenFamilies = map[string]func(*descriptorpb.FileDescriptorSet){
	"acme.v1.DeployResult.version has no retention":                         option("DeployResult", "version", retention(0)),
	"acme.v1.DeployResult.deployment_id: is a handle, which is always kept": option("DeployResult", "deployment_id", retention(pb.Retention_RETENTION_DROP)),
	"acme.v1.DeployResult.dashboard: has a role and no label":               option("DeployResult", "dashboard", label("")),
	"has a role and no label: a letter":                                     option("DeployResult", "dashboard", label("Dash: board")),
	"message acme.v1.Replica is the element of a list and has no line": func(set *descriptorpb.FileDescriptorSet) {
		proto.ClearExtension(message(set, "Replica").GetOptions(), pb.E_Line)
	},
	"option reads: DeployResult has no string nothing":                   reads("DeployResult", "nothing"),
	"option reads: DeployResult has no string replicas":                  reads("DeployResult", "replicas"),
	"option changes: DeployResult has no string nothing":                 changes("DeployResult", "dashboard", "nothing"),
	"option changes: dashboard is no list of messages of acme.v1.Deploy": changes("DeployResult", "dashboard.path"),
	"option changes: Replica has no string nothing of acme.v1.DeployRes": changes("DeployResult", "replicas.nothing"),
	"DeployResult has no field \"nothing\"":                              outcome("DeployResult", "Deployment {nothing}"),
	"a field is not closed":                                              outcome("DeployResult", "Deployment {state"),
	"a group is not closed":                                              outcome("DeployResult", "Deployment [of {state}"),
	"groups are not nested":                                              outcome("DeployResult", "Deployment [of [{state}]]"),
	"\"replicas\" is a message, and has no value":                        outcome("DeployResult", "Deployment {replicas}"),
	"does not begin with fixed words":                                    outcome("DeployResult", "{state}: deployment"),
	"does not begin with fixed words: a letter":                          outcome("DeployResult", "[lines 3-4 left out"+"]"),
	"acme.v1.DeployOutput has no field version of the":                   rename("DeployOutput", "version", "release"),
	"acme.v1.DeployOutput has no payload log":                            rename("DeployOutput", "log", "text"),
	"acme.v1.DeployOutput has no payload text":                           rename("DeployResult", "log", "text"),
	"log is of type toolresult.v1.Excerpt, and its role":                 option("DeployResult", "log", role(pb.Role_ROLE_FACT)),
	"log is a list of toolresult.v1.Excerpt": func(set *descriptorpb.FileDescriptorSet) {
		field(set, "DeployResult", "log").Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	},
	"dashboard: is large text, and its type is not toolresult.v1.Excerpt": option("DeployResult", "dashboard", role(pb.Role_ROLE_LARGE_TEXT)),
	"log_cuts: what large text leaves out is in its toolresult.v1.Excerpt": func(set *descriptorpb.FileDescriptorSet) {
		f := field(set, "DeployResult", "log")
		f.Name, f.JsonName, f.TypeName = new("log_cuts"), nil, new(".toolresult.v1.Cut")
		f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	},
	"has large text log, and names no complete message with the payload log": func(set *descriptorpb.FileDescriptorSet) {
		proto.ClearExtension(message(set, "DeployResult").GetOptions(), pb.E_Complete)
	},
	"holds something large or an error below the top": func(set *descriptorpb.FileDescriptorSet) {
		f := field(set, "Replica", "reason")
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), new(".toolresult.v1.Excerpt")
		role(pb.Role_ROLE_LARGE_TEXT).set(f)
		label("Reason").set(f)
		proto.SetExtension(message(set, "Replica").GetOptions(), pb.E_Line, "{host}")
		m := message(set, "Replica")
		m.Field = append(m.GetField(), &descriptorpb.FieldDescriptorProto{
			Name: new("compaction_level"), Number: new(int32(9)), Type: descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum(),
			TypeName: new(".toolresult.v1.CompactionLevel"), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Options: proto.CloneOf(f.GetOptions()),
		})
		proto.ClearExtension(m.GetField()[3].GetOptions(), pb.E_Role)
		proto.ClearExtension(m.GetField()[3].GetOptions(), pb.E_Label)
	},
	"large list replicas of acme.v1.DeployResult has no": rename("DeployResult", "replicas_truncated", "cut"),
	"can be shortened but has no compaction_level":       rename("DeployResult", "compaction_level", "level"),
	"has something large but no artifacts":               rename("DeployResult", "artifacts", "files"),
	"its complete message acme.v1.Nobody is not in the set": func(set *descriptorpb.FileDescriptorSet) {
		proto.SetExtension(message(set, "DeployResult").GetOptions(), pb.E_Complete, "acme.v1.Nobody")
	},
	"it needs a package, and one of its own": func(set *descriptorpb.FileDescriptorSet) {
		set.GetFile()[0].Package = nil
		set.GetFile()[0].MessageType = set.GetFile()[0].GetMessageType()[len(set.GetFile()[0].GetMessageType())-1:]
		set.GetFile()[0].EnumType = nil
	},
	"DeployResult.dashboard: has a role and no label: a letter, and then": option("DeployResult", "dashboard", label("Dash  board")),
	"without a colon, with single spaces":                                 option("DeployResult", "dashboard", label("Dashboard ")),
	"of at most 128 bytes":                                                option("DeployResult", "dashboard", label(strings.Repeat("Dash", 40))),
	"5 to 128 bytes of printable ASCII, with":                             outcome("DeployResult", "Deployment  of {state}"),
	"replicas_total says what is left out":                                option("DeployResult", "replicas_total", retention(pb.Retention_RETENTION_TRIM)),
	"replicas_artifact says what is left out":                             option("DeployResult", "replicas_artifact", retention(pb.Retention_RETENTION_DROP)),
	"artifacts is of the conventions, and is always":                      option("DeployResult", "artifacts", retention(pb.Retention_RETENTION_DROP)),
	"replicas is large, and is shortened":                                 option("DeployResult", "replicas", retention(pb.Retention_RETENTION_DROP)),
	"log is large, and is shortened":                                      option("DeployResult", "log", retention(pb.Retention_RETENTION_DROP)),
	"has the label \"Replicas\" of another section":                       option("DeployResult", "log", label("Replicas")),
	"max_bytes is 65537, at most 65536 are allowed": func(set *descriptorpb.FileDescriptorSet) {
		proto.SetExtension(field(set, "RestartResult", "service").GetOptions(), pb.E_MaxBytes, uint32(65_537))
	},
	"acme.v1.Replica.reason: max_bytes is 65537": func(set *descriptorpb.FileDescriptorSet) {
		proto.SetExtension(field(set, "Replica", "reason").GetOptions(), pb.E_MaxBytes, uint32(65_537))
	},
	"max_items is 10001, at most 10000 are allowed": func(set *descriptorpb.FileDescriptorSet) {
		proto.SetExtension(field(set, "DeployOutput", "replicas").GetOptions(), pb.E_MaxItems, uint32(10_001))
	},
	"message acme.v1.Replica contains itself": func(set *descriptorpb.FileDescriptorSet) {
		f := field(set, "Replica", "reason")
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), new(".acme.v1.Replica")
	},
	"replicas_total is of another type": func(set *descriptorpb.FileDescriptorSet) {
		field(set, "DeployResult", "replicas_total").Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
	},
	"replicas_artifact is of another type": func(set *descriptorpb.FileDescriptorSet) { // 0 would be absent
		field(set, "DeployResult", "replicas_artifact").Proto3Optional = nil
		field(set, "DeployResult", "replicas_artifact").OneofIndex = nil
		m := message(set, "DeployResult")
		for i, o := range m.GetOneofDecl() {
			if o.GetName() == "_replicas_artifact" {
				m.OneofDecl = append(m.GetOneofDecl()[:i:i], m.GetOneofDecl()[i+1:]...)
				for _, f := range m.GetField() {
					if f.OneofIndex != nil && f.GetOneofIndex() > int32(i) {
						*f.OneofIndex--
					}
				}
				break
			}
		}
	},
	"RestartResult.artifacts has a name that is reserved": rename("RestartResult", "environment", "artifacts"),
	"RestartResult.truncated has a name that is reserved": rename("RestartResult", "environment", "truncated"),
	"two values are \"live\" in JSON": func(set *descriptorpb.FileDescriptorSet) {
		closed(set)
		set.GetFile()[0].GetEnumType()[0].GetValue()[2].Name = new("LIVE")
	},
	"DeployResult.version has a default": func(set *descriptorpb.FileDescriptorSet) {
		closed(set)
		field(set, "DeployResult", "version").DefaultValue = new("1.0")
	},
	"acme.v1.DeployOutput has no field version of the same": func(set *descriptorpb.FileDescriptorSet) {
		for _, name := range []string{"DeployOutput", "DeployResult"} {
			m := message(set, name)
			one := []*descriptorpb.OneofDescriptorProto{{Name: new("of_" + name)}}
			m.OneofDecl = append(one, m.GetOneofDecl()...)
			for _, f := range m.GetField() {
				if f.OneofIndex != nil {
					*f.OneofIndex++
				}
			}
			field(set, name, "version").OneofIndex = new(int32(0))
		}
	},
	"message toolresult.v1.Payload of the contract: import it as": func(set *descriptorpb.FileDescriptorSet) {
		set.File = append(set.GetFile(), &descriptorpb.FileDescriptorProto{
			Name: new("vendored/payload.proto"), Package: new("toolresult.v1"),
			MessageType: []*descriptorpb.DescriptorProto{{Name: new("Payload")}},
		})
	},
	"no message has an outcome template": func(set *descriptorpb.FileDescriptorSet) { set.File = nil },
	"could not resolve import": func(set *descriptorpb.FileDescriptorSet) {
		set.GetFile()[0].Dependency = append(set.GetFile()[0].GetDependency(), "nowhere.proto")
	},
}

// message finds a message of the example.
func message(set *descriptorpb.FileDescriptorSet, name string) *descriptorpb.DescriptorProto {
	for _, m := range set.GetFile()[0].GetMessageType() {
		if m.GetName() == name {
			return m
		}
	}
	panic("no message " + name)
}

// field finds a field of a message of the example.
func field(set *descriptorpb.FileDescriptorSet, of, name string) *descriptorpb.FieldDescriptorProto {
	for _, f := range message(set, of).GetField() {
		if f.GetName() == name {
			return f
		}
	}
	panic("no field " + name)
}

// option sets an option of a field.
func option(of, name string, x *fieldOption) func(*descriptorpb.FileDescriptorSet) {
	return func(set *descriptorpb.FileDescriptorSet) { x.set(field(set, of, name)) }
}

// messageOption sets an option of a message.
func messageOption(of string, x protoreflect.ExtensionType, value any) func(*descriptorpb.FileDescriptorSet) {
	return func(set *descriptorpb.FileDescriptorSet) { proto.SetExtension(message(set, of).GetOptions(), x, value) }
}

func outcome(of, text string) func(*descriptorpb.FileDescriptorSet) {
	return messageOption(of, pb.E_Outcome, text)
}

func reads(of, path string) func(*descriptorpb.FileDescriptorSet) {
	return messageOption(of, pb.E_Reads, path)
}

func changes(of string, paths ...string) func(*descriptorpb.FileDescriptorSet) {
	return messageOption(of, pb.E_Changes, paths)
}

// closed makes a set one of proto2, whose enums are closed and whose fields may have defaults.
func closed(set *descriptorpb.FileDescriptorSet) {
	file := set.GetFile()[0]
	file.Syntax = new("proto2")
	for _, m := range file.GetMessageType() {
		m.OneofDecl = nil
		for _, f := range m.GetField() {
			f.Proto3Optional, f.OneofIndex = nil, nil
		}
	}
}

// fieldOption is one option of a field.
type fieldOption struct {
	set func(*descriptorpb.FieldDescriptorProto)
}

func retention(r pb.Retention) *fieldOption {
	return &fieldOption{func(f *descriptorpb.FieldDescriptorProto) { proto.SetExtension(f.GetOptions(), pb.E_Retention, r) }}
}

func role(r pb.Role) *fieldOption {
	return &fieldOption{func(f *descriptorpb.FieldDescriptorProto) { proto.SetExtension(f.GetOptions(), pb.E_Role, r) }}
}

func label(text string) *fieldOption {
	return &fieldOption{func(f *descriptorpb.FieldDescriptorProto) { proto.SetExtension(f.GetOptions(), pb.E_Label, text) }}
}

func rename(message, from, to string) func(*descriptorpb.FileDescriptorSet) {
	return func(set *descriptorpb.FileDescriptorSet) {
		for _, m := range set.GetFile()[0].GetMessageType() {
			for _, f := range m.GetField() {
				if m.GetName() == message && f.GetName() == from {
					f.Name, f.JsonName = &to, nil
				}
			}
		}
	}
}

// A set that was built with its imports gives the same families.
func TestSetWithImports(t *testing.T) {
	set := exampleSet(t)
	set.File = append([]*descriptorpb.FileDescriptorProto{{Name: new("toolresult/v1/options.proto"), Package: new("toolresult.v1")}}, set.GetFile()...)
	if types, err := envelope.ReadTypes(set); err != nil || len(types) != 2 {
		t.Errorf("%v, %v", types, err)
	}
}
