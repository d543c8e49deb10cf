// Package tokens holds the exact counters of tokens against the reference,
// github.com/pkoukk/tiktoken-go, and measures them beside it and beside
// github.com/tiktoken-go/tokenizer. It is a module of its own, so that neither is
// among what the sidecar requires. `make tokens` runs it.
package tokens
