// Package server assembles one sidecar: it opens the store and the audit log, binds the listeners, makes the services of the
// packages below of them, registers these with gRPC, and shuts everything down in order.
//
//	rpc           interceptors, statuses, the codec, listeners: knows no store
//	identity      who calls, and whom that is confined to
//	ingest        payloads in streams and files
//	redaction     secrets, before anything else is made of an output
//	policy        what a request asks for, with every default in its place
//	pipeline      from a complete output to a result and a receipt
//	compaction    results that become smaller
//	recorder      the audit log, and requests that are made again
//	artifactapi, auditapi, toolapi, transportapi: the services that read
package server
