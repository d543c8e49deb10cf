// Package hosts adds toolresult to agent hosts and takes it away again, by edits of the hosts' own settings files.
//
// A [Plan] is what an installation changes: files, and the edit of each. [Install] makes the edits, after a backup that
// [Uninstall] restores byte for byte. A file that somebody changed in between keeps that change.
package hosts

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/toolresult/toolresult/internal/hooks"
)

// Edit changes the text of a file. A file that is not there has no text.
type Edit interface {
	// Apply returns the text with the edit. It returns the text as it is when the edit is there already.
	Apply(text []byte) ([]byte, error)
	// Revert returns the text without the edit. It returns the text as it is when the edit is not there.
	Revert(text []byte) ([]byte, error)
}

// Change is a file and its edit.
type Change struct {
	Path string
	Edit Edit
}

// Plan is what an installation changes.
type Plan struct {
	Host    hooks.Host
	Changes []Change
	// Permissions says what the installation means for the permissions of the host.
	Permissions string
	// Notes are further things that a user should know.
	Notes []string

	options Options
}

// Options are what plans depend on.
type Options struct {
	Program string              // absolute path of this program
	Shell   string              // absolute path of toolresult-shell
	Home    string              // of the user
	Env     func(string) string // variables
	Rewrite bool                // use a hook that rewrites commands, where another way is the default
	Reads   bool                // also make receipts of files that the model reads whole
}

// Try returns a command that runs a line as the host does after the installation, with further variables: what `doctor`
// runs. It is nil for a host whose commands do not run through us.
func (p Plan) Try(line string) (args, env []string) {
	shell, bashFile := p.options.Shell, ""
	for _, c := range p.Changes {
		if filepath.Base(c.Path) == "toolresult.bash" {
			bashFile = c.Path
		}
	}
	switch {
	case p.Host == hooks.ClaudeCode: // a line that ends otherwise is no command of the model
		return []string{shell, "eval " + quote(line) + " < /dev/null && pwd -P >| /dev/null"}, nil
	case bashFile != "":
		return []string{"bash", "-c", line}, []string{"BASH_ENV=" + bashFile, "GEMINI_CLI=1"}
	case p.options.Rewrite:
		return []string{"bash", "-c", quote(p.options.Program) + " shell -c " + quote(line)}, nil
	case p.Host == hooks.CopilotCLI:
		return nil, nil
	default:
		return []string{shell, "-c", line}, nil
	}
}

// Hook returns the command line of the hook that is given the results of a host's commands; "" if they run through us.
func (p Plan) Hook() string {
	if p.Host != hooks.CopilotCLI || p.options.Rewrite {
		return ""
	}
	return p.options.hook(p.Host)
}

// Hides returns the file by which a host, in a folder, does not read the plan's own; "" if there is none. Gemini CLI reads one file
// of variables: the first that it finds on the way up.
func (p Plan) Hides(folder string) string {
	for _, c := range p.Changes {
		v, isVariable := c.Edit.(Variable)
		for dir := folder; isVariable; dir = filepath.Dir(dir) {
			for _, name := range []string{filepath.Join(dir, ".gemini", ".env"), filepath.Join(dir, ".env")} {
				text, err := readFile(name)
				if err != nil || text == nil {
					continue
				}
				if after, err := v.Apply(text); err != nil || !bytes.Equal(after, text) {
					return name
				}
				return ""
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}

// NeedsBash reports whether the commands of the host run through us only if its user's shell is bash.
func (p Plan) NeedsBash() bool { return p.Host == hooks.Codex && !p.options.Rewrite }

// kept says that permissions are not touched.
const kept = "Permissions stay what they are: the host decides about the command of the model, before toolresult sees it."

// NewPlan returns the plan for a host.
func NewPlan(host hooks.Host, o Options) (Plan, error) {
	build, known := map[hooks.Host]func(Options) Plan{
		hooks.ClaudeCode: claudeCode, hooks.GeminiCLI: geminiCLI, hooks.Codex: codex, hooks.CopilotCLI: copilotCLI,
		hooks.OpenCode: openCode, hooks.Pi: pi,
	}[host]
	if !known {
		return Plan{}, fmt.Errorf("%q: %w", host, hooks.ErrHost)
	}
	for _, path := range []string{o.Program, o.Shell, o.Home} {
		if !filepath.IsAbs(path) || strings.ContainsAny(path, "\n\"\\$`") {
			return Plan{}, fmt.Errorf("the path %q is not absolute, or has characters that settings files cannot carry", path)
		}
	}
	if host == hooks.ClaudeCode && strings.Contains(o.Shell, " -") {
		return Plan{}, fmt.Errorf("the path %q has \" -\", where Claude Code takes what follows for an argument", o.Shell)
	}
	p := build(o)
	p.Host, p.options = host, o
	return p, nil
}

// dir returns the directory that a variable names, or one below the home.
func (o Options) dir(variable string, names ...string) string {
	if d := o.Env(variable); filepath.IsAbs(d) {
		return d
	}
	return filepath.Join(append([]string{o.Home}, names...)...)
}

// hookEnd ends the command line of a hook: a program that cannot start, which hosts would take for a hook that says no, says nothing.
// Lines of earlier versions lack it.
const hookEnd = " || :"

// hook returns the command line of a hook.
func (o Options) hook(host hooks.Host, flags ...string) string {
	line := quote(o.Program) + " hook " + string(host)
	if o.Reads {
		line += " --reads"
	}
	return strings.Join(append([]string{line}, flags...), " ") + hookEnd
}

// quote quotes a word for a shell, if it needs that.
func quote(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%,=") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// obj is a JSON object, and list a JSON list.
type (
	obj  = map[string]any
	list = []any
)

// promptEntry returns the same of a hook that is run when the user has written a prompt.
func promptEntry(command string, timeout int) obj {
	return obj{"hooks": list{obj{"type": "command", "command": command, "timeout": timeout}}}
}

// hookEntry returns an entry of a list of hooks, in the form that Claude Code, Gemini CLI and Codex share.
func hookEntry(matcher, command string, timeout int) obj {
	return obj{"matcher": matcher, "hooks": list{obj{"type": "command", "command": command, "timeout": timeout}}}
}

func claudeCode(o Options) Plan {
	matcher := "mcp__.*|WebFetch|Grep"
	if o.Reads {
		matcher += "|Read"
	}
	return Plan{
		Changes: []Change{{filepath.Join(o.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), JSONFile{
			{Path: []string{"env", "CLAUDE_CODE_SHELL_PREFIX"}, Value: o.Shell},
			{Path: []string{"hooks", "PostToolUse"}, Value: hookEntry(matcher, o.hook(hooks.ClaudeCode), 10), Append: true},
			{Path: []string{"hooks", "UserPromptSubmit"}, Value: promptEntry(o.hook(hooks.ClaudeCode), 10), Append: true},
		}}},
		Permissions: kept,
		Notes:       []string{"The prefix is also put before stdio MCP servers, which toolresult-shell starts as they are."},
	}
}

// bashFile is a file that bash reads before it runs a command (BASH_ENV), and that runs the command through us. The guard says
// when: a condition of the shell, or a pattern of a line that is not the model's command.
func (o Options) bashFile(host hooks.Host, guard string) WholeFile {
	return WholeFile(fmt.Sprintf(`# Written by "toolresult install %[1]s", removed by "toolresult uninstall %[1]s".
# bash reads this file before it runs a command of %[1]s. Whatever fails here, the command runs as without it.
if %[2]s && [ -n "${BASH_EXECUTION_STRING-}" ] && [ -x '%[3]s' ]; then
	IFS= read -r -d '' toolresult_text <'%[3]s' # all of it: one that is cut off would lose the command
	case $toolresult_text in
	*'%[4]s'$'\n')
		unset BASH_ENV toolresult_text
		SHLVL=1 # which exec takes one from
		shopt -s execfail
		exec '%[3]s' -c "$BASH_EXECUTION_STRING"
		shopt -u execfail
		;;
	esac
	unset toolresult_text
fi
`, host, guard, strings.ReplaceAll(o.Shell, "'", `'\''`), launcherEnd))
}

func geminiCLI(o Options) Plan {
	dir := filepath.Join(o.Home, ".gemini")
	prompt := Setting{Path: []string{"hooks", "BeforeAgent"}, Value: promptEntry(o.hook(hooks.GeminiCLI), 10000), Append: true}
	if o.Rewrite {
		return Plan{
			Changes: []Change{{filepath.Join(dir, "settings.json"), JSONFile{
				{Path: []string{"hooks", "BeforeTool"}, Value: hookEntry("run_shell_command", o.hook(hooks.GeminiCLI), 10000), Append: true},
				prompt,
			}}},
			Permissions: rewriting("Gemini CLI", "toolresult", "a rule that allows `git` no longer matches, and one that denies `rm` does not either"),
		}
	}
	file := filepath.Join(dir, "toolresult.bash")
	return Plan{
		Changes: []Change{
			{file, o.bashFile(hooks.GeminiCLI, `[ -n "${GEMINI_CLI-}" ]`)},
			// Gemini CLI reads one file: a new one in its folder would hide that of the home.
			{settingsOf(dir, ".env", filepath.Join("..", ".env")), Variable{"BASH_ENV", file}},
			{filepath.Join(dir, "settings.json"), JSONFile{prompt}},
		},
		Permissions: kept,
		Notes: []string{
			"Gemini CLI reads one .env file: in a folder that has its own, copy the line BASH_ENV there, or export it in your shell.",
			"Results of MCP servers: put `toolresult mcp --` before the server's command. A hook of Gemini CLI could replace them only as errors.",
		},
	}
}

// rewriting says what a hook that rewrites commands means for permissions.
func rewriting(host, program, rules string) string {
	return fmt.Sprintf("PERMISSIONS CHANGE: %s decides about the rewritten command, `%s shell -c '...'`, and not about the model's: %s. "+
		"Do not answer \"always allow\" for %s, because that allows every command.", host, program, rules, program)
}

func codex(o Options) Plan {
	dir := o.dir("CODEX_HOME", ".codex")
	sandbox := "In the sandbox workspace-write a command reaches no sidecar, and keeps its output in the temporary directory. In read-only it can keep none: the output is as without toolresult there."
	prompt := Setting{Path: []string{"hooks", "UserPromptSubmit"}, Value: promptEntry(o.hook(hooks.Codex), 10), Append: true}
	if o.Rewrite {
		return Plan{
			Changes: []Change{{filepath.Join(dir, "hooks.json"), JSONFile{
				{Path: []string{"hooks", "PreToolUse"}, Value: hookEntry("^Bash$", o.hook(hooks.Codex, "--allow"), 10), Append: true},
				prompt,
			}}},
			Permissions: "PERMISSIONS CHANGE: Codex takes a rewritten command only from a hook that says \"allow\". Its sandbox stays, " +
				"but rules (.rules) see `toolresult shell -c '...'` and not the model's command: a rule that forbids `rm` no longer matches.",
			Notes: []string{"Codex runs the hook after you trust it: start codex, and choose to trust it.", sandbox},
		}
	}
	file := filepath.Join(dir, "toolresult.bash")
	return Plan{
		Changes: []Change{
			// With a snapshot of the user's shell Codex runs bash twice; the second one has the model's command. Codex' sandbox forbids
			// getpeername(2), by which bash finds out whether it runs in the place of rshd: then the first shell reads ~/.bashrc in
			// the place of BASH_ENV. So it must not be the first one, and the shell of the command must be.
			{file, o.bashFile(hooks.Codex, `[ "${BASH_EXECUTION_STRING-}" = "${BASH_EXECUTION_STRING#__CODEX_SNAPSHOT}" ]`)},
			{filepath.Join(dir, "config.toml"), TOMLFiles{
				{"shell_environment_policy", "set", "BASH_ENV", file}, {"shell_environment_policy", "set", "SHLVL", "1"},
			}},
			{filepath.Join(dir, "hooks.json"), JSONFile{prompt}},
		},
		Permissions: kept,
		Notes: []string{
			"Codex runs commands with your login shell; with another one than bash nothing changes, and --rewrite is the other way.", sandbox,
			"Codex runs the prompt hook after you trust it: start codex, and choose to trust it. Until then receipts do not know your prompt.",
		},
	}
}

func copilotCLI(o Options) Plan {
	entry := func(flags ...string) list {
		return list{obj{"type": "command", "bash": o.hook(hooks.CopilotCLI, flags...), "timeoutSec": 10}}
	}
	events := obj{"postToolUse": entry(), "userPromptSubmitted": entry()}
	p := Plan{Permissions: kept}
	if o.Rewrite {
		events["preToolUse"] = entry()
		p.Permissions = rewriting("Copilot CLI", "toolresult", "`--allow-tool 'shell(git:*)'` no longer matches, and `--deny-tool 'shell(rm)'` does not either")
	}
	p.Changes = []Change{{filepath.Join(o.dir("COPILOT_HOME", ".copilot"), "hooks", "toolresult.json"), JSONFile{
		{Path: []string{"version"}, Value: 1}, {Path: []string{"hooks"}, Value: events},
	}}}
	return p
}

func openCode(o Options) Plan {
	dir := filepath.Join(o.dir("XDG_CONFIG_HOME", ".config"), "opencode")
	return Plan{
		Changes: []Change{
			{settingsOf(dir, "opencode.json", "opencode.jsonc"), JSONFile{{Path: []string{"shell"}, Value: o.Shell}}},
			{filepath.Join(dir, "plugins", "toolresult.js"), o.plugin(hooks.OpenCode, opencodePlugin)},
		},
		Permissions: kept,
	}
}

func pi(o Options) Plan {
	dir := o.dir("PI_CODING_AGENT_DIR", ".pi", "agent")
	return Plan{
		Changes: []Change{
			{filepath.Join(dir, "settings.json"), JSONFile{{Path: []string{"shellPath"}, Value: o.Shell}}},
			{filepath.Join(dir, "extensions", "toolresult.js"), o.plugin(hooks.Pi, piExtension)},
		},
		Permissions: kept,
	}
}

// plugin returns the file of a plugin.
func (o Options) plugin(host hooks.Host, body string) WholeFile {
	flags := ""
	if o.Reads {
		flags = `, "--reads"`
	}
	return WholeFile(fmt.Sprintf(pluginHead, host, o.Program, flags) + body)
}

// pluginHead is the part that both plugins share. The hook gets what the host gives to plugins, and its answer is nothing when
// the result stays as it is.
const pluginHead = `// Written by "toolresult install %[1]s", removed by "toolresult uninstall %[1]s".
import { spawn } from "node:child_process"

// ask returns what the hook answers, or null: whatever fails, the result stays as it is.
function ask(event) {
  return new Promise((resolve) => {
    let out = ""
    const done = () => { try { resolve(out ? JSON.parse(out) : null) } catch { resolve(null) } }
    try {
      const hook = spawn(%[2]q, ["hook", "%[1]s"%[3]s], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => { hook.kill("SIGKILL"); resolve(null) }, 10000)
      hook.on("error", () => { clearTimeout(timer); resolve(null) })
      hook.on("close", () => { clearTimeout(timer); done() })
      hook.stdout.on("data", (data) => { out += data })
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(event))
    } catch { resolve(null) }
  })
}
`

const opencodePlugin = `
export const Toolresult = async () => ({
  "chat.message": async (_, output) => {
    try {
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      await ask({ prompt })
    } catch {}
  },
  "tool.execute.after": async (input, output) => {
    if (input.tool === "bash") return // it ran through the shell of toolresult
    try {
      const answer = await ask({ input, output })
      if (answer) Object.assign(output, answer)
    } catch {}
  },
})
`

const piExtension = `
export default function (pi) {
  pi.on("before_agent_start", async (event) => {
    try {
      await ask({ prompt: event.prompt })
    } catch {}
  })
  pi.on("tool_result", async (event) => {
    if (event.toolName === "bash") return // it ran through the shell of toolresult
    try {
      return (await ask(event)) ?? undefined
    } catch {}
  })
}
`
