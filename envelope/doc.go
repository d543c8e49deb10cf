// Package envelope holds what all tool families share: the rules of the outer envelope
// (RFC "Canonical Envelope Shape" and "Canonical Field Semantics"), the conventions
// that canonical payloads follow, the RFC's JSON in both directions, and deterministic
// bytes.
//
// It reads family payloads by the naming conventions and field options of the contract
// alone, so a new family needs no code here.
//
// Where to look:
//
//	validate.go, invalid.go     what a caller may send, and how a violation is stated
//	payload.go, large.go        access to payloads, large fields and large lists
//	ledger.go                   preview, cuts and source facts must add up
//	json.go, fromjson.go        the RFC's JSON
//	schema.go, declared.go,
//	template.go, traits.go      the options of a family, and text made from them
//	checkschema.go              whether a family keeps the conventions
//	types.go                    custom families
//	kinds.go, cost.go           error kinds, costs and receipts
package envelope
