package io.github.toolresult.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * TransportService turns receipts into messages that a provider of models accepts, and
 * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
 * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
 * reads nothing but its requests, and the images of the results in them: the same request
 * gives the same bytes.
 * Every RPC may also answer what ToolResultService lists for every RPC.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class TransportServiceGrpc {

  private TransportServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolresult.v1.TransportService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.EncodeTurnRequest,
      io.github.toolresult.v1.EncodeTurnResponse> getEncodeTurnMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "EncodeTurn",
      requestType = io.github.toolresult.v1.EncodeTurnRequest.class,
      responseType = io.github.toolresult.v1.EncodeTurnResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.EncodeTurnRequest,
      io.github.toolresult.v1.EncodeTurnResponse> getEncodeTurnMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.EncodeTurnRequest, io.github.toolresult.v1.EncodeTurnResponse> getEncodeTurnMethod;
    if ((getEncodeTurnMethod = TransportServiceGrpc.getEncodeTurnMethod) == null) {
      synchronized (TransportServiceGrpc.class) {
        if ((getEncodeTurnMethod = TransportServiceGrpc.getEncodeTurnMethod) == null) {
          TransportServiceGrpc.getEncodeTurnMethod = getEncodeTurnMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.EncodeTurnRequest, io.github.toolresult.v1.EncodeTurnResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "EncodeTurn"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.EncodeTurnRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.EncodeTurnResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TransportServiceMethodDescriptorSupplier("EncodeTurn"))
              .build();
        }
      }
    }
    return getEncodeTurnMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.AssembleToolCallsRequest,
      io.github.toolresult.v1.AssembleToolCallsResponse> getAssembleToolCallsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AssembleToolCalls",
      requestType = io.github.toolresult.v1.AssembleToolCallsRequest.class,
      responseType = io.github.toolresult.v1.AssembleToolCallsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.CLIENT_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.AssembleToolCallsRequest,
      io.github.toolresult.v1.AssembleToolCallsResponse> getAssembleToolCallsMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.AssembleToolCallsRequest, io.github.toolresult.v1.AssembleToolCallsResponse> getAssembleToolCallsMethod;
    if ((getAssembleToolCallsMethod = TransportServiceGrpc.getAssembleToolCallsMethod) == null) {
      synchronized (TransportServiceGrpc.class) {
        if ((getAssembleToolCallsMethod = TransportServiceGrpc.getAssembleToolCallsMethod) == null) {
          TransportServiceGrpc.getAssembleToolCallsMethod = getAssembleToolCallsMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.AssembleToolCallsRequest, io.github.toolresult.v1.AssembleToolCallsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.CLIENT_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AssembleToolCalls"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.AssembleToolCallsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.AssembleToolCallsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TransportServiceMethodDescriptorSupplier("AssembleToolCalls"))
              .build();
        }
      }
    }
    return getAssembleToolCallsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.LintTranscriptRequest,
      io.github.toolresult.v1.LintTranscriptResponse> getLintTranscriptMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "LintTranscript",
      requestType = io.github.toolresult.v1.LintTranscriptRequest.class,
      responseType = io.github.toolresult.v1.LintTranscriptResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.LintTranscriptRequest,
      io.github.toolresult.v1.LintTranscriptResponse> getLintTranscriptMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.LintTranscriptRequest, io.github.toolresult.v1.LintTranscriptResponse> getLintTranscriptMethod;
    if ((getLintTranscriptMethod = TransportServiceGrpc.getLintTranscriptMethod) == null) {
      synchronized (TransportServiceGrpc.class) {
        if ((getLintTranscriptMethod = TransportServiceGrpc.getLintTranscriptMethod) == null) {
          TransportServiceGrpc.getLintTranscriptMethod = getLintTranscriptMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.LintTranscriptRequest, io.github.toolresult.v1.LintTranscriptResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "LintTranscript"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.LintTranscriptRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.LintTranscriptResponse.getDefaultInstance()))
              .setSchemaDescriptor(new TransportServiceMethodDescriptorSupplier("LintTranscript"))
              .build();
        }
      }
    }
    return getLintTranscriptMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static TransportServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TransportServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TransportServiceStub>() {
        @java.lang.Override
        public TransportServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TransportServiceStub(channel, callOptions);
        }
      };
    return TransportServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static TransportServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TransportServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TransportServiceBlockingV2Stub>() {
        @java.lang.Override
        public TransportServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TransportServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return TransportServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static TransportServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TransportServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TransportServiceBlockingStub>() {
        @java.lang.Override
        public TransportServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TransportServiceBlockingStub(channel, callOptions);
        }
      };
    return TransportServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static TransportServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<TransportServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<TransportServiceFutureStub>() {
        @java.lang.Override
        public TransportServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new TransportServiceFutureStub(channel, callOptions);
        }
      };
    return TransportServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * TransportService turns receipts into messages that a provider of models accepts, and
   * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
   * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
   * reads nothing but its requests, and the images of the results in them: the same request
   * gives the same bytes.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * EncodeTurn makes the messages of one turn: the text of the model, the calls that it
     * made, and their results. They are native where the provider can tell which
     * result belongs to which call, and text in a user message where it cannot; either
     * way every call has exactly one answer, in the order of the calls, and what the
     * provider would reject is mended, and stated in changes.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS,
     *     NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID, JSON_TOO_DEEP,
     *     JSON_DUPLICATE_KEY, ENVELOPE_EXCLUSIVITY): correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (ARTIFACT_INDEX_INVALID, LEDGER_INVALID, TEXT_NOT_SANITISED,
     *     FAMILY_UNKNOWN, BUDGET_TOO_SMALL): as for Render, of a canonical result.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): an image is in the object store alone, and that does
     *     not answer; retry after the RetryInfo. An image that is gone, or that the caller may
     *     not read, is no error: it is said in changes.
     * </pre>
     */
    default void encodeTurn(io.github.toolresult.v1.EncodeTurnRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.EncodeTurnResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getEncodeTurnMethod(), responseObserver);
    }

    /**
     * <pre>
     * AssembleToolCalls reads the stream of one answer of a model and returns what the
     * model said and the calls that are complete. The client sends one header, and then
     * the body of the HTTP response as it comes, cut anywhere, or the events of the
     * provider's SDK, one after the other.
     * A call of which a part may be missing is never among the calls; it is reported as
     * incomplete, and end says why the stream ended. A stream that breaks off or that is
     * not what the provider sends is no error of this RPC.
     * Errors:
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later one
     *     is; or there is no header at all.
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN): correct the
     *     field that BadRequest names; a stream is either body or events.
     *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): the text of the model, or one event, has more
     *     bytes than Limits.max_message_bytes. What a stream has around it does not count.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.github.toolresult.v1.AssembleToolCallsRequest> assembleToolCalls(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.AssembleToolCallsResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getAssembleToolCallsMethod(), responseObserver);
    }

    /**
     * <pre>
     * LintTranscript finds what a provider would reject in the messages of a request, and
     * mends it when it is asked to. What is in order stays byte for byte as it is, so that
     * the provider's cache holds up to the first repair. Repairing twice changes nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, ENUM_UNKNOWN, JSON_INVALID): the
     *     transcript is no JSON array of messages, or has more than 131,072 messages and
     *     parts; BadRequest names the one at fault.
     * </pre>
     */
    default void lintTranscript(io.github.toolresult.v1.LintTranscriptRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.LintTranscriptResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getLintTranscriptMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service TransportService.
   * <pre>
   * TransportService turns receipts into messages that a provider of models accepts, and
   * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
   * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
   * reads nothing but its requests, and the images of the results in them: the same request
   * gives the same bytes.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static abstract class TransportServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return TransportServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service TransportService.
   * <pre>
   * TransportService turns receipts into messages that a provider of models accepts, and
   * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
   * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
   * reads nothing but its requests, and the images of the results in them: the same request
   * gives the same bytes.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class TransportServiceStub
      extends io.grpc.stub.AbstractAsyncStub<TransportServiceStub> {
    private TransportServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TransportServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TransportServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * EncodeTurn makes the messages of one turn: the text of the model, the calls that it
     * made, and their results. They are native where the provider can tell which
     * result belongs to which call, and text in a user message where it cannot; either
     * way every call has exactly one answer, in the order of the calls, and what the
     * provider would reject is mended, and stated in changes.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS,
     *     NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID, JSON_TOO_DEEP,
     *     JSON_DUPLICATE_KEY, ENVELOPE_EXCLUSIVITY): correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (ARTIFACT_INDEX_INVALID, LEDGER_INVALID, TEXT_NOT_SANITISED,
     *     FAMILY_UNKNOWN, BUDGET_TOO_SMALL): as for Render, of a canonical result.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): an image is in the object store alone, and that does
     *     not answer; retry after the RetryInfo. An image that is gone, or that the caller may
     *     not read, is no error: it is said in changes.
     * </pre>
     */
    public void encodeTurn(io.github.toolresult.v1.EncodeTurnRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.EncodeTurnResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getEncodeTurnMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * AssembleToolCalls reads the stream of one answer of a model and returns what the
     * model said and the calls that are complete. The client sends one header, and then
     * the body of the HTTP response as it comes, cut anywhere, or the events of the
     * provider's SDK, one after the other.
     * A call of which a part may be missing is never among the calls; it is reported as
     * incomplete, and end says why the stream ended. A stream that breaks off or that is
     * not what the provider sends is no error of this RPC.
     * Errors:
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later one
     *     is; or there is no header at all.
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN): correct the
     *     field that BadRequest names; a stream is either body or events.
     *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): the text of the model, or one event, has more
     *     bytes than Limits.max_message_bytes. What a stream has around it does not count.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.github.toolresult.v1.AssembleToolCallsRequest> assembleToolCalls(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.AssembleToolCallsResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncClientStreamingCall(
          getChannel().newCall(getAssembleToolCallsMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * LintTranscript finds what a provider would reject in the messages of a request, and
     * mends it when it is asked to. What is in order stays byte for byte as it is, so that
     * the provider's cache holds up to the first repair. Repairing twice changes nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, ENUM_UNKNOWN, JSON_INVALID): the
     *     transcript is no JSON array of messages, or has more than 131,072 messages and
     *     parts; BadRequest names the one at fault.
     * </pre>
     */
    public void lintTranscript(io.github.toolresult.v1.LintTranscriptRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.LintTranscriptResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getLintTranscriptMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service TransportService.
   * <pre>
   * TransportService turns receipts into messages that a provider of models accepts, and
   * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
   * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
   * reads nothing but its requests, and the images of the results in them: the same request
   * gives the same bytes.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class TransportServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<TransportServiceBlockingV2Stub> {
    private TransportServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TransportServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TransportServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * EncodeTurn makes the messages of one turn: the text of the model, the calls that it
     * made, and their results. They are native where the provider can tell which
     * result belongs to which call, and text in a user message where it cannot; either
     * way every call has exactly one answer, in the order of the calls, and what the
     * provider would reject is mended, and stated in changes.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS,
     *     NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID, JSON_TOO_DEEP,
     *     JSON_DUPLICATE_KEY, ENVELOPE_EXCLUSIVITY): correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (ARTIFACT_INDEX_INVALID, LEDGER_INVALID, TEXT_NOT_SANITISED,
     *     FAMILY_UNKNOWN, BUDGET_TOO_SMALL): as for Render, of a canonical result.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): an image is in the object store alone, and that does
     *     not answer; retry after the RetryInfo. An image that is gone, or that the caller may
     *     not read, is no error: it is said in changes.
     * </pre>
     */
    public io.github.toolresult.v1.EncodeTurnResponse encodeTurn(io.github.toolresult.v1.EncodeTurnRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getEncodeTurnMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AssembleToolCalls reads the stream of one answer of a model and returns what the
     * model said and the calls that are complete. The client sends one header, and then
     * the body of the HTTP response as it comes, cut anywhere, or the events of the
     * provider's SDK, one after the other.
     * A call of which a part may be missing is never among the calls; it is reported as
     * incomplete, and end says why the stream ended. A stream that breaks off or that is
     * not what the provider sends is no error of this RPC.
     * Errors:
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later one
     *     is; or there is no header at all.
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN): correct the
     *     field that BadRequest names; a stream is either body or events.
     *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): the text of the model, or one event, has more
     *     bytes than Limits.max_message_bytes. What a stream has around it does not count.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.github.toolresult.v1.AssembleToolCallsRequest, io.github.toolresult.v1.AssembleToolCallsResponse>
        assembleToolCalls() {
      return io.grpc.stub.ClientCalls.blockingClientStreamingCall(
          getChannel(), getAssembleToolCallsMethod(), getCallOptions());
    }

    /**
     * <pre>
     * LintTranscript finds what a provider would reject in the messages of a request, and
     * mends it when it is asked to. What is in order stays byte for byte as it is, so that
     * the provider's cache holds up to the first repair. Repairing twice changes nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, ENUM_UNKNOWN, JSON_INVALID): the
     *     transcript is no JSON array of messages, or has more than 131,072 messages and
     *     parts; BadRequest names the one at fault.
     * </pre>
     */
    public io.github.toolresult.v1.LintTranscriptResponse lintTranscript(io.github.toolresult.v1.LintTranscriptRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getLintTranscriptMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service TransportService.
   * <pre>
   * TransportService turns receipts into messages that a provider of models accepts, and
   * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
   * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
   * reads nothing but its requests, and the images of the results in them: the same request
   * gives the same bytes.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class TransportServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<TransportServiceBlockingStub> {
    private TransportServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TransportServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TransportServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * EncodeTurn makes the messages of one turn: the text of the model, the calls that it
     * made, and their results. They are native where the provider can tell which
     * result belongs to which call, and text in a user message where it cannot; either
     * way every call has exactly one answer, in the order of the calls, and what the
     * provider would reject is mended, and stated in changes.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS,
     *     NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID, JSON_TOO_DEEP,
     *     JSON_DUPLICATE_KEY, ENVELOPE_EXCLUSIVITY): correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (ARTIFACT_INDEX_INVALID, LEDGER_INVALID, TEXT_NOT_SANITISED,
     *     FAMILY_UNKNOWN, BUDGET_TOO_SMALL): as for Render, of a canonical result.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): an image is in the object store alone, and that does
     *     not answer; retry after the RetryInfo. An image that is gone, or that the caller may
     *     not read, is no error: it is said in changes.
     * </pre>
     */
    public io.github.toolresult.v1.EncodeTurnResponse encodeTurn(io.github.toolresult.v1.EncodeTurnRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getEncodeTurnMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * LintTranscript finds what a provider would reject in the messages of a request, and
     * mends it when it is asked to. What is in order stays byte for byte as it is, so that
     * the provider's cache holds up to the first repair. Repairing twice changes nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, ENUM_UNKNOWN, JSON_INVALID): the
     *     transcript is no JSON array of messages, or has more than 131,072 messages and
     *     parts; BadRequest names the one at fault.
     * </pre>
     */
    public io.github.toolresult.v1.LintTranscriptResponse lintTranscript(io.github.toolresult.v1.LintTranscriptRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getLintTranscriptMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service TransportService.
   * <pre>
   * TransportService turns receipts into messages that a provider of models accepts, and
   * the stream of a provider into tool calls. Source: RFC "Provider Transport Contract"
   * and the document "Native Tool Result Format". It keeps nothing, calls no provider and
   * reads nothing but its requests, and the images of the results in them: the same request
   * gives the same bytes.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class TransportServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<TransportServiceFutureStub> {
    private TransportServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected TransportServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new TransportServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * EncodeTurn makes the messages of one turn: the text of the model, the calls that it
     * made, and their results. They are native where the provider can tell which
     * result belongs to which call, and text in a user message where it cannot; either
     * way every call has exactly one answer, in the order of the calls, and what the
     * provider would reject is mended, and stated in changes.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS,
     *     NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID, JSON_TOO_DEEP,
     *     JSON_DUPLICATE_KEY, ENVELOPE_EXCLUSIVITY): correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (ARTIFACT_INDEX_INVALID, LEDGER_INVALID, TEXT_NOT_SANITISED,
     *     FAMILY_UNKNOWN, BUDGET_TOO_SMALL): as for Render, of a canonical result.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): an image is in the object store alone, and that does
     *     not answer; retry after the RetryInfo. An image that is gone, or that the caller may
     *     not read, is no error: it is said in changes.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.EncodeTurnResponse> encodeTurn(
        io.github.toolresult.v1.EncodeTurnRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getEncodeTurnMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * LintTranscript finds what a provider would reject in the messages of a request, and
     * mends it when it is asked to. What is in order stays byte for byte as it is, so that
     * the provider's cache holds up to the first repair. Repairing twice changes nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, ENUM_UNKNOWN, JSON_INVALID): the
     *     transcript is no JSON array of messages, or has more than 131,072 messages and
     *     parts; BadRequest names the one at fault.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.LintTranscriptResponse> lintTranscript(
        io.github.toolresult.v1.LintTranscriptRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getLintTranscriptMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_ENCODE_TURN = 0;
  private static final int METHODID_LINT_TRANSCRIPT = 1;
  private static final int METHODID_ASSEMBLE_TOOL_CALLS = 2;

  private static final class MethodHandlers<Req, Resp> implements
      io.grpc.stub.ServerCalls.UnaryMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ServerStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.ClientStreamingMethod<Req, Resp>,
      io.grpc.stub.ServerCalls.BidiStreamingMethod<Req, Resp> {
    private final AsyncService serviceImpl;
    private final int methodId;

    MethodHandlers(AsyncService serviceImpl, int methodId) {
      this.serviceImpl = serviceImpl;
      this.methodId = methodId;
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public void invoke(Req request, io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_ENCODE_TURN:
          serviceImpl.encodeTurn((io.github.toolresult.v1.EncodeTurnRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.EncodeTurnResponse>) responseObserver);
          break;
        case METHODID_LINT_TRANSCRIPT:
          serviceImpl.lintTranscript((io.github.toolresult.v1.LintTranscriptRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.LintTranscriptResponse>) responseObserver);
          break;
        default:
          throw new AssertionError();
      }
    }

    @java.lang.Override
    @java.lang.SuppressWarnings("unchecked")
    public io.grpc.stub.StreamObserver<Req> invoke(
        io.grpc.stub.StreamObserver<Resp> responseObserver) {
      switch (methodId) {
        case METHODID_ASSEMBLE_TOOL_CALLS:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.assembleToolCalls(
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.AssembleToolCallsResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getEncodeTurnMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.EncodeTurnRequest,
              io.github.toolresult.v1.EncodeTurnResponse>(
                service, METHODID_ENCODE_TURN)))
        .addMethod(
          getAssembleToolCallsMethod(),
          io.grpc.stub.ServerCalls.asyncClientStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.AssembleToolCallsRequest,
              io.github.toolresult.v1.AssembleToolCallsResponse>(
                service, METHODID_ASSEMBLE_TOOL_CALLS)))
        .addMethod(
          getLintTranscriptMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.LintTranscriptRequest,
              io.github.toolresult.v1.LintTranscriptResponse>(
                service, METHODID_LINT_TRANSCRIPT)))
        .build();
  }

  private static abstract class TransportServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    TransportServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.github.toolresult.v1.TransportProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("TransportService");
    }
  }

  private static final class TransportServiceFileDescriptorSupplier
      extends TransportServiceBaseDescriptorSupplier {
    TransportServiceFileDescriptorSupplier() {}
  }

  private static final class TransportServiceMethodDescriptorSupplier
      extends TransportServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    TransportServiceMethodDescriptorSupplier(java.lang.String methodName) {
      this.methodName = methodName;
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.MethodDescriptor getMethodDescriptor() {
      return getServiceDescriptor().findMethodByName(methodName);
    }
  }

  private static volatile io.grpc.ServiceDescriptor serviceDescriptor;

  public static io.grpc.ServiceDescriptor getServiceDescriptor() {
    io.grpc.ServiceDescriptor result = serviceDescriptor;
    if (result == null) {
      synchronized (TransportServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new TransportServiceFileDescriptorSupplier())
              .addMethod(getEncodeTurnMethod())
              .addMethod(getAssembleToolCallsMethod())
              .addMethod(getLintTranscriptMethod())
              .build();
        }
      }
    }
    return result;
  }
}
