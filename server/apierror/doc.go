// Package apierror maps errors to gRPC statuses: one taxonomy, mapped once.
//
// Packages that do the work return errors of their own and know no status. The outermost interceptor calls [ToStatus], which
// finds the code, the reason of the contract (pb.ErrorReason) and, where the error names one, the field of the request.
// Whatever has no mapping becomes Internal with a fixed text: the text of an unknown error may hold bytes of a tool, a path
// or a name of another session, so it goes to the log and never to a client.
//
// The package knows no service, no request and no caller. Only a call that the server could not serve becomes a status; a
// tool that failed is data and never reaches this package.
package apierror
