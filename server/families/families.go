package families

import (
	"github.com/toolresult/toolresult/envelope"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/renderers"
)

// Family is one tool family: how its complete output becomes a canonical
// result, and how that becomes a receipt.
type Family struct {
	Name      string // of its case in the result oneofs of the contract
	Tokens    int    // default budget of a receipt, owned by the family (RFC "Budget Ownership")
	Projector projectors.Projector
	Renderer  renderers.Renderer
	Declared  bool                                     // the options of its messages say all there is to say
	Whole     bool                                     // its projector reads payloads whole, so that streams have a bound
	Rules     func(commandLine string) *linerule.Rules // what is known of the lines of a program; nil: nothing of any
	Ordered   bool                                     // it has a place for several streams in one, in their order
	Type      *envelope.Type                           // of a family that an operator brought; nil for those of the contract
	Profiles  *profile.Set                             // of the programs whose outputs it takes; nil for none
}

// LineRules returns the rules for the lines of a program, nil for none.
func (f *Family) LineRules(commandLine string) *linerule.Rules {
	if f.Rules == nil {
		return nil
	}
	return f.Rules(commandLine)
}

// BuiltIn is the built-in list, in the order of the contract, with the profiles
// of commands that are built in.
func BuiltIn() []Family { return WithProfiles(profile.BuiltIn()) }

func WithProfiles(profiles *profile.Set) []Family {
	return []Family{
		described("text", projectors.Text(), renderers.Text()),
		{Name: "command", Tokens: 2000, Projector: projectors.Command(profiles), Renderer: renderers.Command(), Ordered: true,
			Profiles: profiles, Rules: func(commandLine string) *linerule.Rules { return profiles.Find(commandLine).Rules() }},
		{Name: "command_batch", Tokens: 4000, Projector: projectors.CommandBatch(profiles), Renderer: renderers.CommandBatch(), Profiles: profiles},
		adapted("task_output", projectors.TaskOutput()),
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
		whole(described("external_mcp", projectors.ExternalMCP(), renderers.External("external_mcp"))),
		whole(described("external_json", projectors.ExternalJSON(), renderers.External("external_json"))),
	}
}

// declared is a family that the options of its messages describe.
func declared(name string) Family {
	f := adapted(name, projectors.Declared(name))
	f.Declared = true
	return f
}

// adapted is a family whose canonical payload is described by its options, and
// made by a projector of its own.
func adapted(name string, p projectors.Projector) Family {
	f := Family{Name: name, Projector: p, Renderer: renderers.Declared(name)}
	if _, canonical := envelope.Case(name); canonical != nil {
		f.Tokens = envelope.DefaultTokens(canonical.Message())
	}
	return f
}

// described is a family whose canonical payload is made and described in Go.
func described(name string, p projectors.Projector, r renderers.Renderer) Family {
	f := adapted(name, p)
	f.Renderer = r
	return f
}

// whole is a family whose projector reads payloads whole.
func whole(f Family) Family {
	f.Whole = true
	return f
}

// ErrorTokens is the default budget of a tool's own errors, in tokens.
const ErrorTokens = 2000

// errorFamily returns the family of results that are errors.
func errorFamily() *Family {
	return &Family{Name: "error", Tokens: ErrorTokens, Projector: projectors.Error(), Renderer: renderers.Error()}
}
