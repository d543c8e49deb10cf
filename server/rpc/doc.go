// Package rpc is the way of a call to a service: listeners, credentials, interceptors, the rights of callers, and how messages
// are received and decoded. It knows statuses and no store.
package rpc
