// Package compactor brings canonical results to fewer tokens (RFC "Compaction
// Contract").
//
// It is driven by the retention option of the contract alone and knows no
// family: fields to keep have no path by which they could be removed, previews
// are shortened by whole segments, and the ledger stays exact. The level lives
// in the canonical result, so compaction never reads receipt text and never
// undoes itself.
package compactor
