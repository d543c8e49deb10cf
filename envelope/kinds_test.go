package envelope_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/preview/textscan"
)

// The kinds of the RFC's runtime, errors and failures of tasks.
const kindsOfTheRuntime = `
	invalid_tool_input unknown_tool unsupported_agent_profile_capability unsupported_runtime_capability
	tool_not_exposed_for_round truncated_mutation_tool_call tool_execution_failed

	execution_root_violation workdir_not_found command_spawn_failed command_timed_out skipped_after_previous_error

	invalid_patch_syntax unknown_patch_format wrong_patch_format missing_file_header missing_hunk invalid_hunk_header
	invalid_hunk_line invalid_hunk_empty_line invalid_codex_hunk invalid_codex_add_line invalid_codex_change_line
	context_not_found ambiguous_context path_escape missing_file existing_file rename_path_mismatch missing_git_header
	unsupported_git_patch_feature path_header_mismatch unexpected_git_metadata

	task_not_found task_not_running timer_not_found work_item_not_found work_item_not_open work_item_completed
	work_item_access_denied work_item_execution_binding_missing work_item_execution_binding_mismatch
	work_item_execution_binding_stale unknown_work_item missing_completion_report memory_source_not_found
	spawn_agent_failed

	model_request_rejected provider_unavailable provider_failed web_fetch_disabled invalid_url image_read_failed
	vision_adapter_unavailable vision_observation_failed image_generation_failed generated_image_invalid
	generated_media_write_failed

	command_task_exit_nonzero command_task_interrupted command_task_failed command_task_error task_cancelled
	task_interrupted task_failed`

const domains = "runtime storage policy io conflict not_found validation provider tool task http unknown"

func TestErrorKindsKeepTheirForm(t *testing.T) {
	t.Parallel()
	const longestHint = 160
	pattern := regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	unused := map[string]bool{}
	for d := range strings.FieldsSeq(domains) {
		unused[d] = true
	}
	seen := map[string]bool{}
	for _, k := range envelope.ErrorKinds() {
		if seen[k.Kind] || !pattern.MatchString(k.Kind) {
			t.Errorf("%q stands twice, or is no name of a kind", k.Kind)
		}
		seen[k.Kind] = true
		if _, known := unused[string(k.Domain)]; !known {
			t.Errorf("%s is of the domain %q", k.Kind, k.Domain)
		}
		unused[string(k.Domain)] = false
		for _, text := range []string{k.Hint, k.Meaning} {
			if text != textscan.OneLine(text) || strings.HasSuffix(text, ".") || strings.Contains(text, "|") {
				t.Errorf("%s: %q is not one line without a full stop for a table", k.Kind, text)
			}
		}
		if k.Hint == "" || len(k.Hint) > longestHint {
			t.Errorf("the hint of %s has %d bytes", k.Kind, len(k.Hint))
		}
		if got, known := envelope.LookupErrorKind(k.Kind); !known || got != k {
			t.Errorf("%s is looked up as %v, %v", k.Kind, got, known)
		}
	}
	for domain, is := range unused {
		if is {
			t.Errorf("no kind is of the domain %s", domain)
		}
	}
	for kind := range strings.FieldsSeq(kindsOfTheRuntime) {
		if !seen[kind] {
			t.Errorf("%s is missing", kind)
		}
	}
	if k, known := envelope.LookupErrorKind("kind_of_nobody"); known || k != (envelope.ErrorKind{}) {
		t.Errorf("a kind that nobody has is %v, %v", k, known)
	}
}

// Nobody who was given the table can change it for others.
func TestErrorKindsIsACopy(t *testing.T) {
	t.Parallel()
	envelope.ErrorKinds()[0].Hint = "do nothing"
	if got := envelope.ErrorKinds()[0].Hint; got == "do nothing" {
		t.Errorf("the hint is %q", got)
	}
}
