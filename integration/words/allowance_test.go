package words

// allowance has the words that folders still have. `go test ./integration/words -update` writes it.
var allowance = map[string]string{
	"integration": "arrived, books, brought, came, held, left out, leg, refusal, refusals, refuse, refused, refuses, room, so many, stands, tell, tells, told, what it is",
	"integration/agentloop": "came, refuse, room, so many, told, what is kept",
	"integration/anyoutput": "came, held, left out, refusal, refused, stands",
	"integration/bench": "judged, left out, refuses, what it is",
	"integration/conformance": "came, leg, refusal, refused, so many",
	"integration/eval": "leg, stands",
	"integration/faults": "books, came, held, left out, leg, legs, poisoned, refusal, refusals, refused, refuses, room, so many, stands, tell, told",
	"integration/faults/mutants": "leg, legs, stands, tells, told",
	"integration/mutate": "came, tells",
	"integration/providers": "arrived, came, leg, refuse, refuses, stands",
	"integration/soak": "came, judge, refusal, refusals, refuse, refused, room, so many, tell, tells, what is kept",
	"integration/tokens": "tells",
<<<<<<< HEAD
	"redact": "tells",
	"server": "arrived, came, held, holdings, left out, refused, refuses, so many, stands, tells, told, what is kept, what it is",
	"server/policy": "came",
	"server/rpc": "room",
	"server/telemetry": "held, left out, refused, room, tell, tells, told, what it is",
=======
	"preview": "came, contradict, held, judge, judged, room, tell, what is kept",
	"preview/literal": "refused, so many, tells",
	"preview/shape": "contradict, contradicted, doubted, room, tells, what it is",
	"preview/textscan": "room, tells",
	"projectors": "arrived, contradict, doubted, how much there is, left out, tells, what is kept",
	"projectors/web": "left out",
	"proto/toolresult/v1": "arrived, brought, came, held, refused, stands, tell, tells, what it is",
	"redact": "came, held, judge",
	"renderers": "left out, stands, tells",
	"server": "arrived, books, brought, came, held, holdings, how much there is, left out, nobody asks, poisoned, refusal, refusals, refuse, refused, refuses, room, rooms, so many, stands, tell, tells, told, what is kept, what it is",
	"tokens": "held, judged",
	"tokens/bpe": "came, tell",
>>>>>>> h-srvtests
}
