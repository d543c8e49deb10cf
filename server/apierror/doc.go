// Package apierror maps errors to gRPC statuses: one taxonomy, mapped once. Every status has an ErrorInfo with a reason of
// the contract, and no text of a tool.
package apierror
