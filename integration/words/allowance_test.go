package words

// allowance has the words that folders still have. `go test ./integration/words -update` writes it.
var allowance = map[string]string{
	"integration":                "arrived, books, brought, came, left out, leg, refusal, refusals, refuse, refused, refuses, room, so many, stands, tell, tells, told, what it is",
	"integration/agentloop":      "came, refuse, room, so many, told, what is kept",
	"integration/anyoutput":      "came, held, left out, refusal, refused, stands",
	"integration/bench":          "left out, refuses, what it is",
	"integration/conformance":    "came, leg, refusal, refused, so many",
	"integration/faults":         "books, came, held, left out, leg, legs, poisoned, refusal, refusals, refused, refuses, room, so many, stands, told",
	"integration/faults/mutants": "leg, legs, stands, tells, told",
	"integration/mutate":         "came, tells",
	"integration/providers":      "arrived, came, leg, refuse, refuses, stands",
	"integration/soak":           "came, judge, refusal, refusals, refuse, refused, room, so many, tell, tells, what is kept",
	"integration/tokens":         "tells",
	"redact":                     "tells",
	"server":                     "refused, refuses, tells",
	"server/policy":              "came",
}
