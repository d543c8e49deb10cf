package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The functions as the model knows them, and how it is told of them.
const (
	shellRun   = "shell___run"
	filesWrite = "files___write"

	tools = `[
{"type": "function", "function": {"name": "shell___run", "description": "Runs a command line by sh.", "parameters":
  {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}},
{"type": "function", "function": {"name": "files___write", "description": "Writes a whole file.", "parameters":
  {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}, "required": ["path", "content"]}}}
]`
)

const (
	commandTime = 10 * time.Minute
	turnBytes   = 3 << 20 // of all outputs of a turn, which are one message of at most 4 MiB
)

// execute makes the calls of an answer, one after the other because one may need what
// another did, and returns the complete output of each.
func (l *loop) execute(ctx context.Context, answer *pb.AssembleToolCallsResponse) []*pb.CompleteToolOutput {
	calls := answer.GetAssistant().GetToolCalls()
	outputs := make([]*pb.CompleteToolOutput, len(calls))
	for _, leak := range answer.GetMarkerLeaks() {
		outputs[leak.GetCall()] = failed(filesWrite, "agentloop_receipt_text", "nothing was written: line %d of %s is %q, which stands "+
			"for text that you were not shown; read it and write it out, or leave it in the file as it is", leak.GetLine(), leak.GetPointer(), leak.GetText())
	}
	for i, c := range calls {
		if outputs[i] == nil {
			outputs[i] = l.call(ctx, c, turnBytes/len(calls))
		}
	}
	return outputs
}

// call makes one call, of whose output so many bytes are kept.
func (l *loop) call(ctx context.Context, c *pb.ParsedToolCall, room int) *pb.CompleteToolOutput {
	var in struct{ Command, Path, Content string }
	err := json.Unmarshal([]byte(c.GetArguments()), &in)
	switch name := c.GetServer() + "___" + c.GetTool(); {
	case name != shellRun && name != filesWrite:
		return failed("unknown", "unknown_tool", "there is no tool %.100q, only %s and %s", name, shellRun, filesWrite)
	case err != nil || name == shellRun && in.Command == "" || name == filesWrite && in.Path == "":
		return failed(name, "invalid_tool_input", "%s needs a command, and %s a path and content", shellRun, filesWrite)
	case name == filesWrite:
		return l.write(in.Path, in.Content)
	}
	return l.shell(ctx, in.Command, room)
}

// failed is the output of a tool that could not do its work.
func failed(tool, kind, format string, args ...any) *pb.CompleteToolOutput {
	message := &pb.Payload{Source: &pb.Payload_Inline{Inline: fmt.Appendf(nil, format, args...)}}
	return &pb.CompleteToolOutput{ToolName: tool, Error: &pb.CompleteToolError{Kind: kind, Message: message}}
}

// shell runs a command line. Whatever its exit code, the tool has done its work.
func (l *loop) shell(ctx context.Context, line string, room int) *pb.CompleteToolOutput {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	stdout, stderr := capture{room: room / 2}, capture{room: room / 2}
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = l.files.Name(), &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that what it started ends with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return failed(shellRun, "command_spawn_failed", "%v", err)
	}
	out := &pb.CommandOutput{Stdout: stdout.payload(), Stderr: stderr.payload(), CommandLine: fmt.Sprintf("%.16000s", line)} // 64 KiB at most
	switch status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus); {
	case status.Exited():
		out.Disposition, out.ExitStatus = pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, new(int32(status.ExitStatus()))
	case ctx.Err() != nil:
		out.Disposition, out.TimeoutMs = pb.CommandDisposition_COMMAND_DISPOSITION_TIMED_OUT, new(uint64(commandTime.Milliseconds()))
	default:
		out.Disposition, out.Signal = pb.CommandDisposition_COMMAND_DISPOSITION_KILLED_BY_SIGNAL, new(int32(status.Signal()))
	}
	return &pb.CompleteToolOutput{
		ToolName: shellRun, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: out},
	}
}

// capture keeps the beginning of a stream, and counts what it does not keep.
type capture struct {
	bytes []byte
	room  int
	lost  uint64
}

func (c *capture) Write(p []byte) (int, error) {
	n := min(len(p), c.room-len(c.bytes))
	c.bytes, c.lost = append(c.bytes, p[:n]...), c.lost+uint64(len(p)-n)
	return len(p), nil
}

func (c *capture) payload() *pb.Payload {
	p := &pb.Payload{Source: &pb.Payload_Inline{Inline: c.bytes}}
	if c.lost > 0 {
		p.SourceLoss = &pb.SourceLoss{LostBytes: c.lost, AtByte: uint64(len(c.bytes))}
	}
	return p
}

// write writes a file below the directory.
func (l *loop) write(path, content string) *pb.CompleteToolOutput {
	change := &pb.FileChange{Action: pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY, Path: path}
	if _, err := l.files.Stat(path); errors.Is(err, fs.ErrNotExist) {
		change.Action = pb.FileChangeAction_FILE_CHANGE_ACTION_ADD
	}
	err := l.files.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = l.files.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		return failed(filesWrite, "tool_execution_failed", "%v", err)
	}
	out := &pb.FileMutationOutput{Changes: []*pb.FileChange{change}}
	return &pb.CompleteToolOutput{
		ToolName: filesWrite, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_FileMutation{FileMutation: out},
	}
}
