// Package conformance holds every requirement of the two seed documents, the RFC "Tool
// Result Envelope" and "Native Tool Result Format", against the built binary on a real
// socket. Its test has one row for each requirement, and compares docs/reference/rfc-conformance.md
// and requirements.md with what the rows came to; with -update it writes them.
package conformance
