package providers_test

import "slices"

// A fault is one of an SDK, and none of what it was given.
type fault struct {
	sdk, provider string
	in            func(j *job) bool // where it can be seen
	problem       string            // a part of what is seen
	why           string            // for the document
}

// faults are those that are known. Where one could be seen and is not, it has to go.
var faults = []fault{{
	sdk: "python-openai", provider: "openai_chat", in: streamsCustomCall,
	problem: "'dict' object has no attribute 'name'",
	why:     "`chat.completions.stream` fails at the end of an answer that calls a custom tool",
}, {
	sdk: "go-openai", provider: "openai_chat", in: streamsCustomCall,
	problem: `"name":"","input":""`,
	why:     "`ChatCompletionAccumulator` leaves out what a custom tool is called with, for chunks have no member for it",
}, {
	sdk: "go-genai", provider: "gemini", in: sendsEmptyText,
	problem: "exactly one of text",
	why:     "leaves out a text that is empty, and with it all that a part with a thought signature alone has",
}}

func streamsCustomCall(j *job) bool {
	return j.Kind == streams && slices.ContainsFunc(j.want.ToolCalls, func(c call) bool { return c.Input != nil })
}

// sendsEmptyText says whether a part of Gemini has an empty text.
func sendsEmptyText(j *job) bool {
	contents, err := decode[struct{ Parts []struct{ Text *string } }](j.Messages)
	if err != nil {
		return false
	}
	for _, content := range contents {
		for _, part := range content.Parts {
			if part.Text != nil && *part.Text == "" {
				return true
			}
		}
	}
	return false
}

// expected returns the fault of an SDK that a job must show, if there is one.
func expected(sdk string, j *job) *fault {
	for i := range faults {
		if f := &faults[i]; f.sdk == sdk && f.provider == j.Provider && f.in(j) {
			return f
		}
	}
	return nil
}
