// Package renderers turns canonical results into receipts, the text that a
// model reads (RFC "Model-Visible Rendering").
//
// A family describes its result as a Document: outcome, facts, and sections of
// tool text. One writer turns every Document into a receipt, and ParseReceipt
// turns the receipt back into the same Document, whatever the tool bytes are.
// The forms that a receipt is made of are one closed table, in grammar.go,
// which the writer, the stuffing and the parser share.
//
// A renderer sees the canonical result only. It cannot see a complete output
// or a store, so a receipt never shows more than the runtime's own record.
package renderers
