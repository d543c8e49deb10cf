package telemetry

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/metrics"
)

// Attributes of our spans: sizes, counts, and names of closed sets.
const (
	keyFamily    = attribute.Key("toolresult.family")
	keyOutcome   = attribute.Key("toolresult.outcome")
	keyTruncated = attribute.Key("toolresult.truncated")
	keyBytes     = attribute.Key("toolresult.bytes")
	keyTokens    = attribute.Key("toolresult.output.tokens")
	keyReceipt   = attribute.Key("toolresult.receipt.tokens")
)

// Attributes of the semantic conventions for generative AI, by which tools of observability know the call of a tool. They are in
// development there (semantic-conventions-genai, "execute tool"), and written out here, so that a new version of a package of
// names changes none of ours.
const (
	keyOperation    = attribute.Key("gen_ai.operation.name")
	keyToolName     = attribute.Key("gen_ai.tool.name")
	keyToolCall     = attribute.Key("gen_ai.tool.call.id")
	keyConversation = attribute.Key("gen_ai.conversation.id")
	keyErrorType    = attribute.Key("error.type")
)

const (
	executeTool = "execute_tool" // the operation, which begins the name of the span
	toolFailed  = "tool_error"   // error.type of a tool that failed; its own message is text
)

// errTool marks the span of a tool that failed.
var errTool = errors.New(toolFailed)

// allowed are the attributes that leave: ours, the names of a call, and those of the library that are of closed sets. It has others, such as
// the path of the socket.
var allowed = []attribute.Key{
	keyFamily, keyOutcome, keyTruncated, keyBytes, keyTokens, keyReceipt, keyOperation, keyToolName, keyToolCall, keyConversation,
	"rpc.system", "rpc.system.name", "rpc.service", "rpc.method", "rpc.grpc.status_code", "rpc.response.status_code", "error.type",
}

// ServerOptions returns the options of a gRPC server that trace its calls; none when no call is traced.
func (t *Telemetry) ServerOptions() []grpc.ServerOption {
	if t.tracer == nil {
		return nil
	}
	ours := methods()
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(
		otelgrpc.WithTracerProvider(t.traces), otelgrpc.WithMeterProvider(noop.NewMeterProvider()),
		otelgrpc.WithPropagators(propagation.TraceContext{}),
		// A name that no service has is text of a caller, and probes are noise.
		otelgrpc.WithFilter(func(call *stats.RPCTagInfo) bool { return ours[call.FullMethodName] }),
	))}
}

// methods returns the full names of the methods of the contract.
func methods() map[string]bool {
	list := map[string]bool{}
	contract := pb.File_toolresult_v1_service_proto.Package()
	protoregistry.GlobalFiles.RangeFilesByPackage(contract, func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for k := range service.Methods().Len() {
				list["/"+string(service.FullName())+"/"+string(service.Methods().Get(k).Name())] = true
			}
		}
		return true
	})
	return list
}

// span adds a step that is over to the trace of a call, if the call is traced. attributes may be nil, and is only called then.
func (t *Telemetry) span(ctx context.Context, name string, began time.Time, err error, attributes func() []attribute.KeyValue) {
	if t.tracer == nil || !api.SpanFromContext(ctx).IsRecording() {
		return
	}
	options := []api.SpanStartOption{api.WithTimestamp(began)} // the step is over: it has the time at which it began
	if attributes != nil {
		options = append(options, api.WithAttributes(attributes()...))
	}
	_, span := t.tracer.Start(ctx, name, options...)
	if err != nil {
		span.SetStatus(codes.Error, "") // without the text of the error, which may have a path
	}
	span.End()
}

// toolSpan adds the span of a tool's call: what the sidecar made of its output, from when it began to. How long the tool itself took
// only its runtime knows.
func (t *Telemetry) toolSpan(ctx context.Context, p *metrics.Projected) {
	var failed error
	if p.Failed {
		failed = errTool
	}
	t.span(ctx, executeTool+" "+p.Names.Tool, p.Began, failed, func() []attribute.KeyValue {
		list := []attribute.KeyValue{
			keyOperation.String(executeTool), keyToolName.String(p.Names.Tool),
			keyFamily.String(p.Family), keyOutcome.String(outcome(p.Failed)), keyTruncated.Bool(p.Truncated),
			keyBytes.Int64(p.Bytes), keyTokens.Int64(p.Tokens), keyReceipt.Int64(p.Receipt),
		}
		if p.Names.Call != "" {
			list = append(list, keyToolCall.String(p.Names.Call))
		}
		if p.Names.Session != "" {
			list = append(list, keyConversation.String(p.Names.Session))
		}
		if p.Failed {
			list = append(list, keyErrorType.String(toolFailed))
		}
		return list
	})
}

// checked exports spans without attributes and messages that may be text of a caller or a tool.
type checked struct{ trace.SpanExporter }

// ExportSpans exports spans.
func (c checked) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	list := make([]trace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		list[i] = checkedSpan{span}
	}
	return c.SpanExporter.ExportSpans(ctx, list)
}

// checkedSpan is a span with the attributes that are allowed, and no text beside them: statuses have the message of
// an error, and events and links may have anything.
type checkedSpan struct{ trace.ReadOnlySpan }

// Attributes returns the attributes that are allowed.
func (s checkedSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(a attribute.KeyValue) bool {
		return !slices.Contains(allowed, a.Key)
	})
}

// Status returns the status without its description.
func (s checkedSpan) Status() trace.Status { return trace.Status{Code: s.ReadOnlySpan.Status().Code} }

// Events returns none.
func (s checkedSpan) Events() []trace.Event { return nil }

// Links returns none.
func (s checkedSpan) Links() []trace.Link { return nil }
