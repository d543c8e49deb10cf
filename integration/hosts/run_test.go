package hosts_test

import (
	"context"
	"flag"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/hosts/model"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// write writes the files of what was seen, in the place of a comparison.
var write = flag.Bool("write", false, "write what was seen to the files that tests compare with it")

// binary is the path of the program.
var binary string

func TestMain(m *testing.M) { os.Exit(sidecartest.Main(m, &binary)) }

// installed is the folder in which `make hosts` installs the hosts; TOOLRESULT_HOSTS names another.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TOOLRESULT_HOSTS")
	if dir == "" {
		dir = "../../.run/hosts"
	}
	dir, err := filepath.Abs(filepath.Join(dir, "node_modules", ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(dir)
	sidecartest.Need(t, err == nil, "the agent hosts are not installed: make hosts")
	return dir
}

// host is how a host runs once, without a question and offline.
type host struct {
	name, program string
	args          []string
	env           []string
	files         map[string]string // settings in the home that have nothing to do with us; MODEL_ is the address of the model
}

// hosts are the hosts that are run.
var hosts = []host{
	{
		name: "claude-code", program: "claude", args: []string{"-p", "go", "--allowedTools", "Bash(*)"},
		env: []string{"ANTHROPIC_BASE_URL=MODEL_", "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1"},
	},
	{
		name: "gemini-cli", program: "gemini", args: []string{"-m", "gemini-2.5-pro", "-p", "go", "--yolo"},
		env:   []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=MODEL_", "GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false}}`},
	},
	{
		name: "codex", program: "codex", args: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go"},
		env: []string{"OPENAI_API_KEY=none"},
		files: map[string]string{".codex/config.toml": "model = \"gpt-5\" # scripted\nmodel_provider = \"scripted\"\n\n" +
			"[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"MODEL_/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"},
	},
	{
		name: "copilot-cli", program: "copilot", args: []string{"-p", "go", "--allow-all", "--no-auto-update"},
		env: []string{"COPILOT_PROVIDER_BASE_URL=MODEL_/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=scripted", "COPILOT_OFFLINE=true"},
	},
	{
		name: "opencode", program: "opencode", args: []string{"run", "go"},
		env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		files: map[string]string{".config/opencode/opencode.jsonc": `{
  // scripted
  "model": "scripted/scripted",
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": "MODEL_/v1", "apiKey": "none"}, "models": {"scripted": {"name": "scripted"}}}}
}
`},
	},
	{
		name: "pi", program: "pi", args: []string{"-p", "go", "--provider", "scripted", "--model", "scripted"},
		env: []string{"PI_OFFLINE=1"},
		files: map[string]string{".pi/agent/models.json": `{"providers": {"scripted": {"baseUrl": "MODEL_/v1", "api": "openai-completions", "apiKey": "none", "models": [
  {"id": "scripted", "name": "scripted", "reasoning": false, "input": ["text"], "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, "contextWindow": 128000, "maxTokens": 4096}]}}}
`},
	},
}

// trial is a home in which a host runs against a model.
type trial struct {
	*testing.T
	host
	home, work, bin string
	model           *model.Server
	url             string
	more            []string // further variables
}

// newTrial returns a trial of commands, each of which is a call of the model.
func newTrial(t *testing.T, h host, commands ...string) *trial {
	t.Helper()
	var script model.Script
	for _, c := range commands {
		script.Calls = append(script.Calls, model.Call{Command: c})
	}
	m := model.New(script)
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	tr := &trial{T: t, host: h, home: filepath.Join(sidecartest.ShortDir(t), "a home"), work: t.TempDir(), bin: installed(t), model: m, url: server.URL}
	if err := os.Mkdir(tr.home, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endSidecar(t, tr.environment()) })
	for name, text := range h.files {
		tr.write(filepath.Join(tr.home, name), strings.ReplaceAll(text, "MODEL_", tr.url))
	}
	return tr
}

// write writes a file with its directories.
func (tr *trial) write(path, text string) {
	tr.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tr.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tr.Fatal(err)
	}
}

// environment returns the variables of the host: nothing of the machine but PATH.
func (tr *trial) environment() []string {
	env := []string{
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + tr.home, "XDG_RUNTIME_DIR=" + tr.home, "TERM=dumb", "LANG=C.UTF-8",
		"TOOLRESULT_VOLATILE=true",
	}
	for _, v := range tr.env {
		env = append(env, strings.ReplaceAll(v, "MODEL_", tr.url))
	}
	return append(env, tr.more...)
}

// toolresult runs the program in the home.
func (tr *trial) toolresult(args ...string) string {
	tr.Helper()
	c := exec.Command(binary, args...)
	c.Env = tr.environment()
	out, err := c.CombinedOutput()
	if err != nil {
		tr.Fatalf("toolresult %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// run runs the host, and returns what the model read of its calls.
func (tr *trial) run() []string {
	tr.Helper()
	ctx, cancel := context.WithTimeout(tr.Context(), 4*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(tr.bin, tr.program), tr.args...)
	c.Dir, c.Env, c.WaitDelay = tr.work, tr.environment(), 5*time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		tr.Errorf("%s: %v\n%.4000s", tr.name, err, out)
	}
	for _, unknown := range tr.model.Unknown() {
		tr.Errorf("%s asked for something new: %s", tr.name, unknown)
	}
	return tr.model.Results()
}

// settings returns the files of the home that name the program, with their texts.
func (tr *trial) settings() map[string]string {
	tr.Helper()
	all := map[string]string{}
	for _, name := range []string{
		".claude/settings.json", ".gemini/settings.json", ".gemini/.env", ".gemini/toolresult.bash", ".codex/config.toml", ".codex/hooks.json",
		".codex/toolresult.bash", ".copilot/hooks/toolresult.json", ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc",
		".config/opencode/plugins/toolresult.js", ".pi/agent/settings.json", ".pi/agent/extensions/toolresult.js",
	} {
		text, err := os.ReadFile(filepath.Join(tr.home, name))
		if err == nil {
			all[name] = string(text)
		}
	}
	return all
}

// launcher is the path of toolresult-shell in the home.
func (tr *trial) launcher() string {
	return filepath.Join(tr.home, ".local/share/toolresult/bin/toolresult-shell")
}
