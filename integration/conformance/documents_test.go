package conformance_test

import "slices"

const (
	rfc    = "Tool Result Envelope"
	native = "Native Tool Result Format"
	simple = "The simplest calls"
)

// documents are the seed documents with their requirements.
func documents() []document {
	return []document{
		{rfc, slices.Concat(summaryRows, envelopeRows, fieldRows, renderingRows, projectionRows, algorithmRows, indexRows, largeRows,
			receiptRows, stableRows, budgetRows, referenceRows, exampleRows, transportRows, compactionRows, storageRows), []exclusion{
			{"Non-goals", "says what is not asked for; that ToolError becomes the payload `error` is a row of `error`"},
			{"Relationship To Other RFCs", "names documents that are not part of this project; the command family has rows of its own"},
			{"Open Questions", "decided here: status stays two-valued ([0009](../adr/0009-status-stays-two-valued.md)), references stay path-only ([0010](../adr/0010-artifact-references-stay-path-only.md)), external tools are normalised ([0011](../adr/0011-external-tools-are-normalised.md))"},
		}},
		{native, nativeRows, nil},
		{simple, simpleRows, nil},
	}
}

// headings are those of the documents.
var headings = map[string]string{
	rfc: `
Summary
Problem
Goals
Non-goals
Dual-Surface Contract
Canonical Envelope Shape
` + "`tool_name`\n`status`\n`summary_text`\n`result`\n`error`" + `
Model-Visible Rendering
Complete Output And Projection
Complete Output Shape
Canonical Projection Is Typed, Not Blind JSON Truncation
Model Rendering Is Family-Defined
Projection Algorithm
Artifact Index Mapping
Family-Specific Large Output Rules
Preserve The Stable Canonical Envelope
Prefer Head And Tail For Logs
Prefer Textual Receipts For Command-Family Rendering
Prefer Concise Receipts For Small Confirmation Tools
Prefer Structured Canonical Previews Over Raw Blobs
Do Not Duplicate Large Payloads
Truncation Should Be Stable Across Re-serialization
Budget Ownership
Artifact References In Family Results
Command Tool Canonical Example
Error Example
Command Tool Rendered Example
Provider Transport Contract
Compaction Contract
Runtime Storage Contract
Relationship To Other RFCs
Open Questions
`,
	native: `
Current State
1. Extend ChatMessage
2. Extend ParsedToolCall
3. Update StreamingToolCalls
4. Update Agentic Loop
5. Helper Function for Assistant Tool Call Messages
Flow Diagram
Backward Compatibility
`,
}
