// Package integration is the room for tests against the real thing: the built
// binary in a process of its own, called over its real socket. It holds no code
// that others import.
//
// What belongs here is what a caller can see and no single room can promise: a
// status code for every reason that the contract lists, the faults of
// integration/faults/README.md that reach a running server, the life cycle of the process, the
// command line, other clients (grpcurl), and the golden corpus in
// testdata/golden, which shows whole receipts the way a model reads them. What
// one room can prove alone belongs beside its code.
//
// A test that needs more than Go and Linux (root, another user, grpcurl) is a
// leg. Where a leg cannot run it is skipped with the reason, unless
// TOOLRESULT_LEGS=all is set, as `make integration` does: then it fails.
//
// `make golden` writes the golden files again. A missing file counts as an empty
// one, and a run that writes fails, so that nobody passes by rewriting.
package integration
