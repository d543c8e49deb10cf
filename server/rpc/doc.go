// Package rpc brings a call to a service and its answer or status back: listeners, credentials, how messages are received and
// decoded, and interceptors for identity, rights, limits, deadlines, panics and the mapping of errors.
//
// A call passes the interceptors from the outside to the inside: an id, the identity of its caller, the measurement, the mapping
// of errors, the rights and limits, the deadline, recovery from panics. So the log and the measurements see the status that the
// client sees, whatever went wrong further inside.
//
// The package knows status codes, methods and callers. It knows no tool result, no store and no audit log; rejected calls are
// handed to an interface of one method.
package rpc
