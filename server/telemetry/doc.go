// Package telemetry exports how a sidecar does: metrics for Prometheus, and metrics and traces for a collector of OpenTelemetry
// (docs/reference/observability.md). It is off unless the configuration turns it on: then [Start] returns nil, and there is no
// listener, no goroutine and no exporter, and nothing of this package is called.
//
// Measurements are numbers and names of closed sets, which is all that a [metrics.Reporter] receives beside the names of a call:
// tool, call and session, which its span has and no metric. The library that traces calls adds attributes of its own; these are
// checked against a list before they leave, so that no other text of a caller does, no output of a tool or a file, no path and no
// message of an error.
//
// Nothing in the sidecar ever waits for a scraper or a collector: what cannot be sent is dropped and counted.
package telemetry
