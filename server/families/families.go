package families

import (
	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/renderers"
)

// Family is one tool family: how its complete output becomes a canonical result, and how that becomes a receipt. Its
// projector and renderer are safe for concurrent use, so that one Family serves all calls.
type Family struct {
	Name      string // of its case in the result oneofs of the contract
	Tokens    int    // default budget of a receipt, owned by the family (RFC "Budget Ownership")
	Projector projectors.Projector
	Renderer  renderers.Renderer
	Declared  bool                                     // the options of its messages describe it; it has no code of its own
	Whole     bool                                     // its projector reads payloads whole, so that streams are bounded by memory
	Rules     func(commandLine string) *linerule.Rules // rules for the lines of a program; nil: none for any
	Ordered   bool                                     // it takes several streams as one, in the order of their chunks
	Type      *envelope.Type                           // of a custom family; nil for those of the contract
	Profiles  *profile.Set                             // of the programs whose outputs it projects; nil for none
}

// LineRules returns the rules for the lines of a program, nil for none.
func (f *Family) LineRules(commandLine string) *linerule.Rules {
	if f.Rules == nil {
		return nil
	}
	return f.Rules(commandLine)
}

// BuiltIn returns the families of the contract in its order, with the built-in profiles of commands. Callers may append
// custom families; the list is made anew for each call.
func BuiltIn() []Family { return WithProfiles(profile.BuiltIn()) }

// WithProfiles returns the families of the contract in its order, with profiles of commands. Budgets are in tokens: command
// has its own (RFC "Budget Ownership"), a batch twice as much, and all others have the one that the contract states.
func WithProfiles(profiles *profile.Set) []Family {
	return []Family{
		ofTexts(profiles, described("text", projectors.Text(), renderers.Text())),
		{Name: "command", Tokens: 2000, Projector: projectors.Command(profiles), Renderer: renderers.Command(), Ordered: true,
			Profiles: profiles, Rules: func(commandLine string) *linerule.Rules { return profiles.Rules(profiles.Find(commandLine)) }},
		{Name: "command_batch", Tokens: 4000, Projector: projectors.CommandBatch(profiles), Renderer: renderers.CommandBatch(), Profiles: profiles},
		ofTexts(profiles, adapted("task_output", projectors.TaskOutput())),
		declared("task_status"),
		declared("task_list"),
		declared("task_input"),
		declared("task_stop"),
		whole(described("file_read", projectors.FileRead(), renderers.FileRead())),
		whole(described("file_mutation", projectors.FileMutation(), renderers.FileMutation())),
		adapted("search", projectors.Search()),
		declared("workspace_attach"),
		declared("workspace_detach"),
		declared("workspace_switch"),
		declared("workspace_state"),
		declared("worktree_create"),
		declared("worktree_remove"),
		declared("work_item_change"),
		declared("work_item_pick"),
		declared("work_item_get"),
		declared("work_item_list"),
		declared("notify"),
		declared("enqueue"),
		declared("sleep"),
		declared("wait"),
		declared("memory_search"),
		declared("memory_get"),
		adapted("agent_spawn", projectors.AgentSpawn()),
		declared("agent_status"),
		declared("agent_report"),
		whole(adapted("web_fetch", projectors.WebFetch())),
		declared("web_search"),
		whole(adapted("image_view", projectors.ImageView())),
		whole(adapted("image_generate", projectors.ImageGenerate())),
		ofTexts(profiles, whole(described("external_mcp", projectors.ExternalMCP(), renderers.External("external_mcp")))),
		ofTexts(profiles, whole(described("external_json", projectors.ExternalJSON(), renderers.External("external_json")))),
	}
}

// declared returns a family that the options of its messages describe: projector and renderer follow from them.
func declared(name string) Family {
	f := adapted(name, projectors.Declared(name))
	f.Declared = true
	return f
}

// adapted returns a family that has a projector of its own, and a renderer that follows from the options of its messages. A
// name without a case gets no budget, which NewRegistry rejects.
func adapted(name string, p projectors.Projector) Family {
	f := Family{Name: name, Projector: p, Renderer: renderers.Declared(name)}
	if _, canonical := envelope.Case(name); canonical != nil {
		f.Tokens = envelope.DefaultTokens(canonical.Message())
	}
	return f
}

// described returns a family that has a projector and a renderer of its own.
func described(name string, p projectors.Projector, r renderers.Renderer) Family {
	f := adapted(name, p)
	f.Renderer = r
	return f
}

// ofTexts lets profiles know the texts of a family by their lines.
func ofTexts(profiles *profile.Set, f Family) Family {
	rules := profiles.Rules(nil)
	f.Rules = func(string) *linerule.Rules { return rules }
	return f
}

// whole marks a family whose projector reads payloads whole.
func whole(f Family) Family {
	f.Whole = true
	return f
}

// ErrorTokens is the default budget of a tool's own errors, in tokens.
const ErrorTokens = 2000

// errorFamily returns the family of results that are errors. They have one form, whatever tool failed.
func errorFamily() *Family {
	return &Family{Name: "error", Tokens: ErrorTokens, Projector: projectors.Error(), Renderer: renderers.Error()}
}
