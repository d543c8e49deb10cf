// Package transports encodes the turns of an agent as messages of a provider of models: what the model said and called,
// and the receipts of the results. Package streams reads a provider's stream, package transcript checks and repairs a
// whole transcript. All three have no state and make no calls, and the same input gives the same bytes. Source: "Native
// Tool Result Format" and the RFC's "Provider Transport Contract".
//
// turn.go encodes a turn natively, text.go for models without native calls; check.go validates the request.
// artifact_media.go shows the images and documents of canonical results, and tool_definition.go describes read_result
// to a model. What providers differ in is in internal/dialect, one file for each.
package transports
