// Package telemetry tells operators how a sidecar does: metrics for Prometheus, and metrics and traces for a collector
// of OpenTelemetry (docs/reference/observability.md). It is off unless the configuration asks for it; then [Start] returns nil,
// and there is no listener, no goroutine and no exporter, and nothing of this package is called.
//
// What is counted are numbers and names of closed sets, which is all that [server.Metrics] is given. What the library
// that traces calls adds is checked against a list before it leaves: no text of a tool, a caller or a file, no path
// and no message of an error does.
package telemetry
