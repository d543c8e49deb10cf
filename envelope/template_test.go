package envelope_test

import (
	"testing"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestTemplate(t *testing.T) {
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
		if got := parsed.Expand(task.ProtoReflect()); got != want {
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
		if got := parsed.Expand(failure.ProtoReflect()); got != want {
			t.Errorf("%q is %q, want %q", template, got, want)
		}
	}
}
