// Package soak calls one sidecar for a long time, as many runtimes do at once, and looks at what grows. The
// built binary runs with a store on disk. Clients in this process make calls of every kind and size; others
// are processes that are killed with SIGKILL and stopped with SIGSTOP at random.
//
// At the end everything must be back where it was: descriptors, files in tmp/ and goroutines within 5 s; the
// resident memory must not have grown over the run. No answer may be outside of the contract: every refusal
// has a reason that its kind of call can have. Artifacts are read back all along, and at the end by another
// process on the same store.
//
// It runs with TOOLRESULT_LEGS=all: a short form with `make integration`, the long one as `make soak`.
package soak
