// Package faults breaks things around the sidecar and its store and looks at what is left: kill -9 at random
// times and at every system call, errors from the kernel, full and read-only disks, power cuts on real file
// systems, artifacts that somebody altered, clients that stop or vanish. integration/faults/README.md says which case is
// proved by which test.
//
// Everything here is real: processes, sockets, loop devices, strace. So every test is a leg that needs root,
// Linux and some programs (integration/setup.sh installs them), and runs with TOOLRESULT_LEGS=all only, as
// `make faults` sets it; a leg that cannot run then fails. Each has a short form for CI; `make faults-long`
// runs the long forms.
//
// The rule of all of them: an acknowledgement is written to a file outside of the store before anything else
// happens. Afterwards every acknowledged artifact must be there with its digest (none lost), every artifact
// that is there must be what its name says (none torn), and nothing may be left in tmp/.
package faults
