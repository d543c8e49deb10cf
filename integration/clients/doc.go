// Package clients runs the clients of all languages: the list in integration/conformance against the built sidecar, over the
// socket and over TCP, and against one that is killed; their packages as a user installs them; and their tutorials.
//
// A client takes part by a driver, a program in its own folder that executes calls which it reads as lines of JSON, and writes
// what it got. Drivers know no expectations: those are in the list, and compared here. `make clients` runs everything.
package clients
