package main

import "testing"

const output = `{"toolName": "Bash", "status": "TOOL_STATUS_SUCCESS", "command": {"exitStatus": 0, "stdout": {"inline": "aGkK"}}}`

func TestProjectForms(t *testing.T) {
	t.Parallel()
	const receipt = "Process exited with code 0\nstdout:\nhi\n"
	toolresult(t, output, "project").wantOut(receipt)
	toolresult(t, output, "project", "--output", "textproto").want(0, "canonical", "receipt")
	toolresult(t, `tool_name: "Bash" status: TOOL_STATUS_SUCCESS command { exit_status: 0 stdout { inline: "hi\n" } }`, "project", "--input", "textproto").
		wantOut(receipt)
	pair := toolresult(t, output, "project", "--output", "json").want(0, `"stdout_preview": "hi\n"`, `"token_counter"`)
	toolresult(t, pair.out, "render").wantOut(receipt)
	toolresult(t, pair.out, "render", "--output", "json").want(0, `"receipt"`)
	toolresult(t, pair.out+pair.out, "render").want(codeFailed, "! stdin has 2 canonical results")
	toolresult(t, output, "project", "--output", "xml").want(codeFailed, "! --output xml")
	toolresult(t, output, "project", "--input", "xml").want(codeFailed, "! --input xml")
	toolresult(t, output, "project", "--artifacts", "never").want(codeFailed, "! --artifacts never: when-lossy or always")
	toolresult(t, output, "project", "--call", "c").want(codeFailed, "! --call: needs --session")
	toolresult(t, "what", "project").want(codeFailed, "! syntax error")
}

func TestRenderTheResultOnRecord(t *testing.T) {
	t.Parallel()
	toolresult(t, output, "project", "--session", "render", "--call", "c").want(0)
	toolresult(t, "", "render", "--session", "render", "--call", "c", "--max-tokens", "50").wantOut("Process exited with code 0\nstdout:\nhi\n")
	toolresult(t, "", "render", "--session", "render", "--call", "other").want(codeFailed, "! NotFound")
}

func TestProjectTurn(t *testing.T) {
	t.Parallel()
	turn := `{"totalTokens": 1000, "outputs": [{"output": ` + output + `}, {"output": ` + output + `}]}`
	const receipt = "Process exited with code 0\nstdout:\nhi\n"
	toolresult(t, turn, "project-turn").wantOut(receipt + "\n" + receipt)
	toolresult(t, turn, "project-turn", "--output", "json").want(0, `"canonical"`)
	toolresult(t, turn, "project-turn", "--output", "textproto").want(0, "results")
	toolresult(t, "what", "project-turn").want(codeFailed)
}
