package envelope_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// The language of templates, form by form, with a field that is set and with one
// that is not.
func TestTemplatesExpandFields(t *testing.T) {
	of := &pb.TaskOutputResult{Task: &pb.TaskSnapshot{TaskId: "task_1"}}
	for _, c := range []struct {
		template, want string
		of             proto.Message
	}{
		{"{files_total}, done", "0, done", &pb.AgentReportResult{}},
		{"{files_total}, done", "3, done", &pb.AgentReportResult{FilesTotal: 3}},
		{"done[, {files_total}]", "done", &pb.AgentReportResult{}},
		{"{waited_ms}, done", ", done", &pb.TaskOutputResult{}},
		{"{waited_ms}, done", "0, done", &pb.TaskOutputResult{WaitedMs: proto.Uint64(0)}},
		{"{output_source.lines}.", ".", &pb.TaskOutputResult{}},
		{"{output_source.lines}.", "0.", &pb.TaskOutputResult{OutputSource: &pb.SourceFacts{}}},
		{"{output_preview}.", ".", &pb.TaskOutputResult{}},
		{"{forced?by force}.", "by force.", &pb.TaskStopResult{Forced: true}},
		{"{forced?by force}.", ".", &pb.TaskStopResult{}},
		{"{forced!gently}.", ".", &pb.TaskStopResult{Forced: true}},
		{"{forced!gently}.", "gently.", &pb.TaskStopResult{}},
		{"{task!nobody}.", "nobody.", &pb.TaskOutputResult{}},
		{"{task!nobody}.", ".", of},
		{"[{forced!gently}, {task.task_id}].", "gently, a.", &pb.TaskStopResult{Task: &pb.TaskHandle{TaskId: "a"}}},
		{"[{forced!gently}, {task.task_id}].", ".", &pb.TaskStopResult{Task: &pb.TaskHandle{TaskId: "a"}, Forced: true}},
		{"[{forced!gently}, {task.task_id}].", ".", &pb.TaskStopResult{}},
		{"[{task.task_id} ended].", "task_1 ended.", of},
		{"[{task.task_id} ended].", ".", &pb.TaskOutputResult{}},
		{"{files_total#entry}", "0 entries", &pb.AgentReportResult{}},
		{"{files_total#entry}", "1 entry", &pb.AgentReportResult{FilesTotal: 1}},
	} {
		template, err := envelope.ParseTemplate(c.template, c.of.ProtoReflect().Descriptor())
		if err != nil {
			t.Errorf("%q: %v", c.template, err)
			continue
		}
		if got := template.Expand(c.of.ProtoReflect(), envelope.AsIs); got != c.want {
			t.Errorf("%q of {%v} is %q, want %q", c.template, c.of, got, c.want)
		}
	}
}

// A template that cannot be read is rejected at start-up, and the error says why.
func TestWrongTemplatesAreRejected(t *testing.T) {
	var d protoreflect.MessageDescriptor = (*pb.TaskListResult)(nil).ProtoReflect().Descriptor()
	for template, why := range map[string]string{
		"{tasks":                 "not closed",
		"[{tasks_total}":         "not closed",
		"{nobody}":               `no field "nobody"`,
		"{nobody!none}":          `no field "nobody"`,
		"{tasks}":                "no value of its own",
		"{tasks_total.x}":        "has no fields",
		"{tasks.summary}":        "has no fields",
		"tasks}":                 "brackets",
		"[a [b] {tasks_total}]x": "brackets",
	} {
		if _, err := envelope.ParseTemplate(template, d); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", template, err, why)
		}
	}
}

// The templates of task receipts, with what may be missing.
func TestTemplatesOfTasks(t *testing.T) {
	task := &pb.TaskSnapshot{
		TaskId: "task_1", Status: pb.TaskStatus_TASK_STATUS_RUNNING, AcceptsInput: true, ExitStatus: new(int32(0)),
	}
	for template, want := range map[string]string{
		"Task {task_id}":                            "Task task_1",
		"Task {status}":                             "Task running",
		"Task{accepts_input? with input}":           "Task with input",
		"Task[{accepts_input?, with input}] ends":   "Task, with input ends",
		"Task[: {summary}]":                         "Task",
		"Task[ {task_id}: {summary}] is {status}":   "Task is running",
		"Task[ {task_id}][: {summary}][, {status}]": "Task task_1, running",
		"Task, code {exit_status}":                  "Task, code 0",
		"Task, input {accepts_input}":               "Task, input yes",
		"Task of {workdir}":                         "Task of ",
	} {
		parsed, err := envelope.ParseTemplate(template, task.ProtoReflect().Descriptor())
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Expand(task.ProtoReflect(), envelope.AsIs); got != want {
			t.Errorf("%q is %q, want %q", template, got, want)
		}
	}
	failure := &pb.TaskOutputResult{
		Task: task, RetrievalStatus: 99, Failure: &pb.TaskFailure{SourceChain: []string{"a", "b"}}, WaitedMs: new(uint64(1)),
	}
	for template, want := range map[string]string{
		"Task {task.task_id}: {failure.source_chain}":     "Task task_1: a, b",
		"Caused by {failure.source_chain#cause}":          "Caused by 2 causes",
		"Waited {waited_ms#minute}, {output_cuts#branch}": "Waited 1 minute, 0 branches",
		"Task {retrieval_status}":                         "Task task retrieval 99",
	} {
		parsed, err := envelope.ParseTemplate(template, failure.ProtoReflect().Descriptor())
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Expand(failure.ProtoReflect(), envelope.AsIs); got != want {
			t.Errorf("%q is %q, want %q", template, got, want)
		}
	}
}

// A value that ends inside an escape sequence does not swallow the words behind
// it, in a template and in a list of words.
func TestValuesAreCleanedByThemselves(t *testing.T) {
	task := &pb.TaskOutputResult{
		Task:    &pb.TaskSnapshot{TaskId: "task\x1b[3", Status: pb.TaskStatus_TASK_STATUS_RUNNING},
		Failure: &pb.TaskFailure{SourceChain: []string{"first\x1b]", "second"}},
	}
	parsed, err := envelope.ParseTemplate("{task.task_id}, completed: {failure.source_chain}", task.ProtoReflect().Descriptor())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := parsed.Expand(task.ProtoReflect(), textscan.OneLine), "task␛[3, completed: first␛], second"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPluralFollowsSpelling(t *testing.T) {
	for unit, want := range map[string]string{
		"match": "matches", "crash": "crashes", "process": "processes", "box": "boxes", "entry": "entries", "reply": "replies",
		"key": "keys", "file": "files", "change": "changes",
	} {
		if got := envelope.Plural(unit, false); got != want || envelope.Plural(unit, true) != unit {
			t.Errorf("%s is %s, want %s", unit, got, want)
		}
	}
}
