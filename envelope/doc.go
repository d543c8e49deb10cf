// Package envelope holds what every tool family shares: the rules of the outer
// envelope (RFC "Canonical Envelope Shape" and "Canonical Field Semantics"), the
// conventions that a canonical payload follows, the RFC's JSON in both
// directions, and deterministic bytes.
//
// It finds its way through family payloads by the conventions and field options
// of the contract alone, so a new family needs nothing here.
package envelope
