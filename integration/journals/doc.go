// Command journals measures what could be the journal of a store: own frames, and the libraries that keep a log. Each has a prototype behind
// one interface, gets the same workload in a process of its own, and is damaged in the same ways. docs/adr/0068 has the tables, which
// `make journals WRITE=yes` writes.
//
// It is a module of its own, so that none of the libraries is among what the sidecar requires.
package main
