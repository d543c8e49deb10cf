// Package server assembles the sidecar: the gRPC services, the registry of tool
// families, configuration, interceptors, and the life cycle of the process.
//
// It is the only room that knows status codes; every refusal is made in
// status.go. A call goes through the interceptors (interceptors.go), into the
// service (service.go), through a family's projector and renderer (families.go),
// and back.
package server
