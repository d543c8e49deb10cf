// Package compactor brings a history of canonical results to fewer tokens (RFC
// "Compaction Contract"). docs/reference/compaction.md has the reasoning.
//
// Read it in this order. A Compactor brings one result to a Target (compactor.go): the
// lines of previews are chosen among by their salience (units.go, trim.go), lists by
// their order (lists.go). Plan decides which results go how far: what the results are
// to each other (relation.go), what each would lose and save at every level
// (ladder.go), what the provider's cache is worth (cache.go), and the order in which
// all steps are taken until the budget is met (plan.go).
//
// It is driven by the options of the contract alone and knows no family: fields to keep
// have no path by which they could be removed, and the ledger stays exact. The level
// lives in the canonical result, so compaction never reads receipt text and never
// undoes itself. It stores nothing: it says what has to be stored.
package compactor
