package conformance_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// samples has a small complete output for every family, in protobuf's text form.
var samples = map[string]string{
	"text":             `text { content { inline: "42 degrees\n" } }`,
	"command":          `command { exit_status: 0 stdout { inline: "ok\n" } }`,
	"command_batch":    `command_batch { items { command_line: "make" result { exit_status: 0 stdout { inline: "ok\n" } } } items { command_line: "rm x" error { kind: "permission_denied" message { inline: "no" } } } }`,
	"file_read":        `file_read { path: "a.go" total_lines: 1 content { inline: "package a\n" } }`,
	"file_mutation":    `file_mutation { changes { action: FILE_CHANGE_ACTION_MODIFY path: "src/a.go" hunks: 1 added_lines: 2 removed_lines: 1 } }`,
	"search":           `search { query: "TODO" search_path: "src" matches { path: "src/a.go" line: 12 text: "// TODO: close" } }`,
	"web_fetch":        `web_fetch { url: "https://example.org/" status: 200 content_type: "text/plain" body { inline: "hello\n" } }`,
	"web_search":       `web_search { query: "go" provider: "kagi" results { title: "Go" url: "https://go.dev/" } }`,
	"image_view":       `image_view { content { path: "a.gif" media_type: "image/gif" image { inline: "GIF89a\001\000\001\000\000\000\000;" } } }`,
	"image_generate":   `image_generate { contents { id: "img_8" media_type: "image/gif" image { inline: "GIF89a\001\000\001\000\000\000\000;" } } prompt: "a dot" model: "paint-1" }`,
	"external_mcp":     `external_mcp { server: "math" result { inline: '{"content":[{"type":"text","text":"The sum is 42."}]}' } }`,
	"external_json":    `external_json { server: "ci" result { inline: '{"build":7,"state":"green"}' } }`,
	"custom":           `custom { type: "acme.v1.RestartResult" message_json: '{"service": "billing", "environment": "staging"}' }`,
	"task_output":      `task_output { retrieval_status: TASK_RETRIEVAL_SUCCESS task { task_id: "task_9" status: TASK_STATUS_COMPLETED exit_status: 0 } output { inline: "built\n" } }`,
	"task_status":      `task_status { task { task_id: "task_9" status: TASK_STATUS_RUNNING kind: "command_task" command: "make" } }`,
	"task_list":        `task_list { tasks { task_id: "task_9" status: TASK_STATUS_RUNNING command: "make" } total_active: 1 }`,
	"task_input":       `task_input { disposition: TASK_INPUT_DISPOSITION_ACCEPTED bytes_written: 2 input_target: "stdin" task { task_id: "task_9" status: "running" } }`,
	"task_stop":        `task_stop { task { task_id: "task_9" status: "cancelling" } }`,
	"workspace_attach": `workspace_attach { disposition: WORKSPACE_ATTACH_DISPOSITION_ATTACHED workspace_id: "ws_7" workspace_anchor: "/src/lease" }`,
	"workspace_detach": `workspace_detach { disposition: WORKSPACE_DETACH_DISPOSITION_DETACHED workspace_id: "ws_7" }`,
	"workspace_switch": `workspace_switch { disposition: WORKSPACE_SWITCH_DISPOSITION_SWITCHED active { workspace_id: "ws_7" execution_root: "/src/fix" execution_root_id: "root_4" projection_kind: WORKSPACE_PROJECTION_GIT_WORKTREE } }`,
	"workspace_state":  `workspace_state { agent_id: "agent_1" active { workspace_id: "ws_7" execution_root: "/src/fix" projection_kind: WORKSPACE_PROJECTION_GIT_WORKTREE } workspaces { workspace_id: "ws_7" standing: WORKSPACE_STANDING_ACTIVE } }`,
	"worktree_create":  `worktree_create { disposition: WORKTREE_CREATE_DISPOSITION_CREATED worktree_path: "/src/fix" execution_root_id: "root_4" branch: "fix" }`,
	"worktree_remove":  `worktree_remove { disposition: WORKTREE_REMOVE_DISPOSITION_REMOVED execution_root_id: "root_4" branch: "fix" branch_disposition: WORKTREE_BRANCH_DISPOSITION_DELETED branch_tip: "7961ebe" }`,
	"work_item_change": `work_item_change { action: WORK_ITEM_ACTION_CREATED work_item { work_item_id: "wi_12" state: WORK_ITEM_STATE_OPEN readiness: WORK_ITEM_READINESS_RUNNABLE } }`,
	"work_item_pick":   `work_item_pick { transition: WORK_ITEM_PICK_PICKED current_work_item { work_item_id: "wi_12" state: WORK_ITEM_STATE_OPEN readiness: WORK_ITEM_READINESS_RUNNABLE } }`,
	"work_item_get":    `work_item_get { work_item { work_item_id: "wi_12" objective: "renew" state: WORK_ITEM_STATE_OPEN readiness: WORK_ITEM_READINESS_WAITING } plan { inline: "1. Reproduce.\n" } }`,
	"work_item_list":   `work_item_list { work_items { work_item_id: "wi_12" objective: "renew" state: WORK_ITEM_STATE_OPEN readiness: WORK_ITEM_READINESS_RUNNABLE } total_matching: 8 }`,
	"notify":           `notify { delivery: NOTIFY_DELIVERY_DELIVERED notification_id: "ntf_3" recipient: "operator" channel: "email" }`,
	"enqueue":          `enqueue { disposition: ENQUEUE_DISPOSITION_ENQUEUED message_id: "msg_8" }`,
	"sleep":            `sleep { disposition: SLEEP_DISPOSITION_SCHEDULED duration_ms: 600000 }`,
	"wait":             `wait { disposition: WAIT_DISPOSITION_REGISTERED wait_condition_id: "wait_3" scope: WAIT_SCOPE_WORK_ITEM owner: "wi_12" wake: "task_result" resource: "task_31" }`,
	"memory_search":    `memory_search { query: "lease" results { source { source_ref: "note:1" title: "Leases" kind: "note" } snippet: "renewed" } index_status { freshness: MEMORY_FRESHNESS_CURRENT } }`,
	"memory_get":       `memory_get { memory { source_ref: "note:1" title: "Leases" kind: "note" } content { inline: "Renew early.\n" } }`,
	"agent_spawn":      `agent_spawn { child_agent_id: "agent_12" task { task_id: "task_77" kind: "child_agent_task" status: "running" } }`,
	"agent_status":     `agent_status { agent_id: "agent_12" state: AGENT_STATE_WORKING working_on: "a flaky test" }`,
	"agent_report":     `agent_report { child_agent_id: "agent_12" child_outcome: CHILD_OUTCOME_COMPLETED task_id: "task_77" report { inline: "Fixed.\n" } }`,
}

// failure is a tool that failed, with every field of an error.
const failure = `output { tool_name: "Deploy" error { kind: "deploy_locked" message { inline: "somebody else deploys" }
	details { inline: '{"holder":"ci"}' } recovery_hint: "wait for the lock" retryable: true } }`

// large are payloads of families that grow, and the field of each: %[1]q is the text.
var large = []struct{ family, field, output string }{
	{"text", "content", `text { content { inline: %[1]q } }`},
	{"command", "stdout", `command { exit_status: 1 stdout { inline: %[1]q } }`},
	{"command", "stderr", `command { exit_status: 1 stderr { inline: %[1]q } }`},
	{"command", "combined_output", `command { exit_status: 1 combined_output { inline: %[1]q } }`},
	{"command", "initial_output", `command { task_handle { task_id: "task_123" } initial_output { inline: %[1]q } }`},
	{"task_output", "output", `task_output { retrieval_status: TASK_RETRIEVAL_SUCCESS task { task_id: "task_9" status: TASK_STATUS_COMPLETED } output { inline: %[1]q } }`},
	{"task_output", "task_result", `task_output { retrieval_status: TASK_RETRIEVAL_SUCCESS task { task_id: "task_9" status: TASK_STATUS_COMPLETED } task_result { inline: %[1]q } }`},
	{"file_read", "content", `file_read { path: "a.txt" content { inline: %[1]q } }`},
	{"file_mutation", "diff", `file_mutation { changes { action: FILE_CHANGE_ACTION_MODIFY path: "a.go" } diff { inline: %[1]q } }`},
	{"web_fetch", "text", `web_fetch { url: "https://example.org/" status: 200 content_type: "text/plain" body { inline: %[1]q } }`},
	{"work_item_get", "plan", `work_item_get { work_item { work_item_id: "wi_12" objective: "renew" state: WORK_ITEM_STATE_OPEN readiness: WORK_ITEM_READINESS_WAITING } plan { inline: %[1]q } }`},
	{"memory_get", "content", `memory_get { memory { source_ref: "note:1" kind: "note" } content { inline: %[1]q } }`},
	{"agent_report", "report", `agent_report { child_agent_id: "agent_12" child_outcome: CHILD_OUTCOME_COMPLETED report { inline: %[1]q } }`},
}

var words = strings.Fields("amber falcon river copper lantern meadow quartz harbor velvet cedar marble signal orchid thunder pebble walnut")

// lines are so many lines of seven words, no two of them alike.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		h := uint32(i) * 2654435761
		for k := range 7 {
			b.WriteString(words[h>>(4*k)&15])
			b.WriteByte(" \n"[k/6])
		}
	}
	return b.String()
}

// families projects a sample of every family that the server has.
func (c *client) families() map[string]answer {
	answers := map[string]answer{}
	for _, family := range call(c, c.results().GetServerInfo, &pb.GetServerInfoRequest{}).GetFamilies() {
		if strings.Contains(family, ".") { // of the operator: a custom one
			continue
		}
		sample, ok := samples[family]
		if !ok {
			c.fail(fmt.Errorf("there is no sample of %s", family))
		}
		answers[family] = c.project(`output { tool_name: "Tool_%s" %s }`, family, sample)
	}
	return answers
}

// each checks the answer for every family, and for a tool that failed.
func (c *client) each(check func(family string, a answer) error) error {
	answers := c.families()
	answers["error"] = c.failure()
	var errs []error
	for _, family := range slices.Sorted(maps.Keys(answers)) {
		if err := check(family, answers[family]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", family, err))
		}
	}
	return all(errs...)
}

// grown projects every payload that grows with a text, under a budget of tokens.
func (c *client) grown(text string, tokens int, check func(field string, a answer) error) error {
	var errs []error
	for _, l := range large {
		a := c.project(`output { tool_name: "Tool" `+l.output+` } policy { render { budget { max_tokens: %[2]d } } }`, text, tokens)
		if err := check(l.field, a); err != nil {
			errs = append(errs, fmt.Errorf("%s.%s: %w", l.family, l.field, err))
		}
	}
	return all(errs...)
}
