package envelope

import (
	"cmp"
	"slices"
	"strings"
)

// Kinds of errors are an open vocabulary with a documented core. The table here is
// that core: docs/reference/errors.md and the hints in receipts are made from it.

// ErrorDomain is the part of the world that an error comes from.
type ErrorDomain string

// The domains of errors.
const (
	DomainRuntime    ErrorDomain = "runtime"    // the agent runtime itself
	DomainStorage    ErrorDomain = "storage"    // what keeps results and media
	DomainPolicy     ErrorDomain = "policy"     // what an agent may do
	DomainIO         ErrorDomain = "io"         // files, processes, devices
	DomainConflict   ErrorDomain = "conflict"   // something is in another state than the call assumes
	DomainNotFound   ErrorDomain = "not_found"  // something that the call names is not there
	DomainValidation ErrorDomain = "validation" // the input of the call
	DomainProvider   ErrorDomain = "provider"   // a provider of models or searches
	DomainTool       ErrorDomain = "tool"       // the tool's own work
	DomainTask       ErrorDomain = "task"       // a background task
	DomainHTTP       ErrorDomain = "http"       // a server on the web
	DomainUnknown    ErrorDomain = "unknown"    // nobody knows
)

// ErrorKind is a row of the table of error kinds: the meaning of a kind, and the
// advice to a model.
type ErrorKind struct {
	Kind   string
	Domain ErrorDomain
	// Retryable is the usual answer to whether the same call may succeed when it is
	// repeated unchanged. An error states its own.
	Retryable bool
	// Hint is the recovery hint for an error without one: one imperative sentence, as the
	// RFC writes them.
	Hint string
	// Meaning is for the documentation. Empty: the name of the kind says it.
	Meaning string
}

// ErrorKinds returns a copy of the table of error kinds. A runtime may have kinds of
// its own; docs/reference/errors.md has the table and the rule for naming others.
func ErrorKinds() []ErrorKind { return slices.Clone(errorKinds) }

// LookupErrorKind returns the row of a kind, and whether there is one.
func LookupErrorKind(kind string) (ErrorKind, bool) {
	i := slices.IndexFunc(errorKinds, func(k ErrorKind) bool { return k.Kind == kind })
	if i < 0 {
		return ErrorKind{}, false
	}
	return errorKinds[i], true
}

// errorKinds is the table: the kinds of the RFC's runtime, grouped by where they
// arise, and those that most other runtimes need too. A kind is never removed and
// never changes its meaning. Hints are read by models and asserted by golden files.
var errorKinds = []ErrorKind{
	// Any tool.
	{"invalid_tool_input", DomainValidation, false, "provide input that matches the published schema of the tool",
		"the input does not match the tool's schema"},
	{"unknown_tool", DomainNotFound, false, "call one of the offered tools by its exact name", ""},
	{"unsupported_agent_profile_capability", DomainPolicy, false, "use what this agent's profile allows, or ask the operator for more",
		"the agent's profile does not allow what the call needs"},
	{"unsupported_runtime_capability", DomainRuntime, false, "reach the goal with other tools or options",
		"this runtime cannot do what the call needs"},
	{"tool_not_exposed_for_round", DomainPolicy, false, "call a tool that is offered in this round",
		"the tool exists, and is not offered in this round"},
	{"truncated_mutation_tool_call", DomainValidation, false, "make the change in several smaller calls",
		"the call was cut off before its end, and is one that changes something"},
	{"tool_execution_failed", DomainTool, false, "correct what the message names, or use another tool",
		"the tool failed, and no other kind fits"},
	{"permission_denied", DomainPolicy, false, "use something that this agent may use, or ask the operator to allow it", ""},
	{"artifact_not_found", DomainNotFound, false, "use the name or path of a result as a receipt of this session has it",
		"no result of this session has that name or path"},
	{"artifact_expired", DomainNotFound, false, "go on without it, or run the tool again",
		"the result was deleted by the rules of retention"},
	{"artifact_not_text", DomainValidation, false, "use another tool for it, or read another result", ""},
	{"call_cancelled", DomainRuntime, false, "go on without the result, and make the call again only when it is wanted", ""},
	{"storage_full", DomainStorage, false, "free disk space or ask the operator to, then make the same call again",
		"there is no space to store what the call makes"},
	{"internal_error", DomainUnknown, false, "try another way, and tell the operator if there is none",
		"a fault of the runtime or the tool"},

	// Commands.
	{"execution_root_violation", DomainPolicy, false, "omit workdir or use a relative path inside the active workspace", ""},
	{"workdir_not_found", DomainNotFound, false, "omit workdir or name a directory that exists", ""},
	{"command_spawn_failed", DomainIO, false, "check that the program exists and may be executed, and correct the command", ""},
	{"command_timed_out", DomainRuntime, false, "give the command more time, run it in the background, or make it do less",
		"the time of the call was over and nothing of the command can be shown; one with output is a result that timed out"},
	{"skipped_after_previous_error", DomainConflict, true, "correct the command that failed before it, then run this one",
		"the batch stopped before this command"},

	// Files and searches.
	{"file_not_found", DomainNotFound, false, "list the directory and use a path that exists", ""},
	{"invalid_pattern", DomainValidation, false, "correct the pattern, or search for plain text", ""},

	// Patches.
	{"invalid_patch_syntax", DomainValidation, false, "correct the patch and submit all of it again",
		"the patch cannot be read, and no other kind fits"},
	{"unknown_patch_format", DomainValidation, false, "write the patch in the format that the tool's description names",
		"the text is no patch of any format"},
	{"wrong_patch_format", DomainValidation, false, "write the patch in the format that the tool's description names",
		"the patch is in a format that this tool does not take"},
	{"missing_file_header", DomainValidation, false, "put `--- OLD_PATH` and `+++ NEW_PATH` before the first hunk of every file",
		"hunks are without the headers of their file"},
	{"missing_hunk", DomainValidation, false, "add a hunk with changed lines, or leave the file out of the patch", ""},
	{"invalid_hunk_header", DomainValidation, false, "write hunk headers as `@@ -START,COUNT +START,COUNT @@`, each with lines below", ""},
	{"invalid_hunk_line", DomainValidation, false, "begin every line of a hunk with a space, `+` or `-`",
		"a line of a hunk begins with something else"},
	{"invalid_hunk_empty_line", DomainValidation, false, "write a blank line of a hunk with a space, `+` or `-` at its beginning", ""},
	{"invalid_git_header", DomainValidation, false, "write `diff --git a/OLD_PATH b/NEW_PATH`, or leave that line out", ""},
	{"missing_git_header", DomainValidation, false, "put `diff --git a/OLD_PATH b/NEW_PATH` before `rename from` and `rename to`",
		"a rename is without its `diff --git` line"},
	{"path_header_mismatch", DomainValidation, false, "use the same paths in `diff --git`, `---` and `+++`",
		"the headers of a file name different paths"},
	{"rename_path_mismatch", DomainValidation, false, "use the same paths in `rename from`, `rename to` and the other headers",
		"a rename and the other headers of its file name different paths"},
	{"unsupported_git_patch_feature", DomainValidation, false, "leave this out of the patch, and make that change in another way",
		"the patch uses a feature of git that the tool does not have"},
	{"unexpected_git_metadata", DomainValidation, false, "remove the metadata lines between the `diff --git` line and the `---` line",
		"the patch has a metadata line that the tool does not know"},
	{"missing_end_patch", DomainValidation, false, "end the patch with the line `*** End Patch`",
		"a patch in the `*** Begin Patch` format has no end"},
	{"invalid_codex_hunk", DomainValidation, false, "begin each file with `*** Add File: `, `*** Update File: ` or `*** Delete File: ` and its path",
		"a patch in the `*** Begin Patch` format has a line that begins no file"},
	{"invalid_codex_add_line", DomainValidation, false, "begin every line of an added file with `+`",
		"a line of an added file begins with something else"},
	{"invalid_codex_change_line", DomainValidation, false, "begin every line of an update with a space, `+` or `-`, blank ones too",
		"a line of an update begins with something else"},
	{"context_not_found", DomainConflict, false, "read the file again, and make the patch from its lines as they are now",
		"the file does not have the unchanged lines of a hunk"},
	{"ambiguous_context", DomainValidation, false, "add unchanged lines around the change until they occur only once in the file",
		"the unchanged lines of a hunk occur more than once"},
	{"path_escape", DomainPolicy, false, "use a relative path that stays inside the workspace",
		"a path leads out of the workspace"},
	{"missing_file", DomainNotFound, false, "correct the path, or add the file in place of changing it",
		"the patch changes a file that does not exist"},
	{"existing_file", DomainConflict, false, "update the file in place of adding it, or choose another path",
		"the patch adds a file that exists"},

	// Background tasks and timers.
	{"task_not_found", DomainNotFound, false, "list the tasks and use one of their ids", ""},
	{"task_not_running", DomainConflict, false, "read the output of the task, or start a new task",
		"the task has ended, and the call needs one that runs"},
	{"timer_not_found", DomainNotFound, false, "list the timers and use one of their ids", ""},

	// Work items.
	{"work_item_not_found", DomainNotFound, false, "list the work items and use one of their ids", ""},
	{"unknown_work_item", DomainNotFound, false, "list the work items and refer to one of their ids",
		"the input refers to a work item that does not exist"},
	{"work_item_not_open", DomainConflict, false, "pick an open work item, or create one",
		"the work item is not open, and the call needs one that is"},
	{"work_item_completed", DomainConflict, false, "create a new work item for what is left to do", ""},
	{"work_item_access_denied", DomainPolicy, false, "use a work item of this agent, or ask the one that owns it", ""},
	{"work_item_execution_binding_missing", DomainConflict, false, "pick the work item, then make the same call again",
		"this run is not bound to a work item"},
	{"work_item_execution_binding_mismatch", DomainConflict, false, "name the work item that this run is bound to, or pick the other one first",
		"this run is bound to another work item"},
	{"work_item_execution_binding_stale", DomainConflict, false, "get the work item as it is now, and pick it again before the call",
		"the work item has changed since this run was bound to it"},
	{"missing_completion_report", DomainValidation, false, "say in a completion report what was done, and complete the work item again", ""},

	// Memory and agents.
	{"memory_source_not_found", DomainNotFound, false, "search the memory and use a source of its results", ""},
	{"spawn_agent_failed", DomainRuntime, false, "correct what the message names, or do the work in this agent", ""},

	// Models, web and images.
	{"model_request_rejected", DomainProvider, false, "change the request as the message says, or choose another model", ""},
	{"provider_unavailable", DomainProvider, true, "wait and make the same call again, or choose another provider", ""},
	{"provider_failed", DomainProvider, true, "make the same call once more, then choose another provider", ""},
	{"rate_limited", DomainProvider, true, "wait before making the same call again", ""},
	{"web_fetch_disabled", DomainPolicy, false, "go on without the web, or ask the operator to allow it", ""},
	{"invalid_url", DomainValidation, false, "give a complete URL that begins with http:// or https://",
		"the URL cannot be read or is of another scheme"},
	{"http_request_failed", DomainHTTP, true, "make the same call once more, then check the URL",
		"the web server gave no answer"},
	{"image_read_failed", DomainIO, false, "check that the path names an image file that can be read", ""},
	{"vision_adapter_unavailable", DomainRuntime, false, "go on without seeing the image, or ask the operator for a vision model",
		"nothing is configured that can look at an image"},
	{"vision_observation_failed", DomainProvider, true, "make the same call once more, or ask less about the image",
		"the model gave no usable answer about the image"},
	{"image_generation_failed", DomainProvider, true, "make the same call once more, or change the prompt", ""},
	{"generated_image_invalid", DomainProvider, true, "make the same call once more, or ask for another size or format",
		"what the provider made is no image"},
	{"generated_media_write_failed", DomainStorage, false, "ask the operator to check disk space and permissions, then make the call again", ""},

	// Why a task failed: TaskFailure.kind.
	{"command_task_exit_nonzero", DomainTask, false, "read the end of the task's output, correct what failed, and start the command again",
		"the command exited with a code other than 0"},
	{"command_task_interrupted", DomainTask, true, "find out how far the command came, and start it again if that is safe",
		"the runtime ended while the command ran"},
	{"command_task_failed", DomainTask, false, "read the task's output, correct what failed, and start the command again",
		"the command did not end well, and has no exit code"},
	{"command_task_error", DomainTask, false, "check the command and its working directory, and start it again",
		"the runtime could not run the command"},
	{"task_cancelled", DomainTask, false, "go on without the task, and start it again only when it is wanted", ""},
	{"task_interrupted", DomainTask, true, "find out how far the task came, and start it again if that is safe",
		"the runtime ended while the task ran"},
	{"task_failed", DomainTask, false, "read the task's output, correct what failed, and start the task again",
		"the task failed, and no other kind fits"},
}

// FallbackErrorKind is the kind of an error without a kind.
const FallbackErrorKind = "tool_execution_failed"

// NormalizeErrorKind returns a kind in the form of the contract: lower-case letters,
// digits and "_", beginning with a letter, at most MaxKind bytes. The words of
// "TimeoutError", "ETIMEDOUT: timed out" and "timeout-error" are separated by "_". A
// text without a letter gives FallbackErrorKind.
func NormalizeErrorKind(given string) string {
	if isErrorKind(given) {
		return given
	}
	var b strings.Builder
	runes := []rune(given[:min(len(given), 4*MaxGivenKind)])
	for i, r := range runes {
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteRune(r)
		case r >= '0' && r <= '9' && b.Len() > 0: // a kind begins with a letter
			b.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			if startsWord(runes, i) {
				endWord(&b)
			}
			b.WriteRune(r + 'a' - 'A')
		default:
			endWord(&b)
		}
	}
	kind := b.String()
	return cmp.Or(strings.TrimRight(kind[:min(len(kind), MaxKind)], "_"), FallbackErrorKind)
}

// isErrorKind reports whether a kind has the form of the contract.
func isErrorKind(kind string) bool {
	c := NewChecker("")
	c.checkKind(kind)
	return c.Err() == nil
}

// startsWord reports whether a capital begins a word: after a small letter or digit,
// or before a small letter where it ends an abbreviation, as the E of "HTTPError"
// does.
func startsWord(runes []rune, i int) bool {
	if i == 0 {
		return false
	}
	before := runes[i-1]
	if before >= 'a' && before <= 'z' || before >= '0' && before <= '9' {
		return true
	}
	return before >= 'A' && before <= 'Z' && i+1 < len(runes) && runes[i+1] >= 'a' && runes[i+1] <= 'z'
}

// endWord ends a word with "_", unless one just ended.
func endWord(b *strings.Builder) {
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
		b.WriteByte('_')
	}
}
