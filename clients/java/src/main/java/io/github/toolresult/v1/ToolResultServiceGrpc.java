package io.github.toolresult.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * ToolResultService turns complete tool output into canonical results and the
 * receipts that a model reads.
 * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
 * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
 * Payload, any bytes.
 * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
 * reason as in ErrorReason) and, where a field is to blame, a
 * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
 * itself ends before the server sees the call has no ErrorInfo: headers of more than
 * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
 * Every RPC may also answer:
 *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
 *     "authorization: Bearer &lt;token&gt;".
 *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
 *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
 *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
 *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
 *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
 *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
 *     decides; the same call is safe to repeat, artifacts are
 *     content-addressed.
 *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
 *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
 *     a string is not UTF-8; payloads take any bytes.
 *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
 *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
 *     caller; retry after the RetryInfo.
 *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
 *     get another one.
 *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
 *     confined to a session (AccessService).
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ToolResultServiceGrpc {

  private ToolResultServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolresult.v1.ToolResultService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectRequest,
      io.github.toolresult.v1.ProjectResponse> getProjectMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Project",
      requestType = io.github.toolresult.v1.ProjectRequest.class,
      responseType = io.github.toolresult.v1.ProjectResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectRequest,
      io.github.toolresult.v1.ProjectResponse> getProjectMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectRequest, io.github.toolresult.v1.ProjectResponse> getProjectMethod;
    if ((getProjectMethod = ToolResultServiceGrpc.getProjectMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getProjectMethod = ToolResultServiceGrpc.getProjectMethod) == null) {
          ToolResultServiceGrpc.getProjectMethod = getProjectMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ProjectRequest, io.github.toolresult.v1.ProjectResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Project"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("Project"))
              .build();
        }
      }
    }
    return getProjectMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectStreamRequest,
      io.github.toolresult.v1.ProjectStreamResponse> getProjectStreamMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ProjectStream",
      requestType = io.github.toolresult.v1.ProjectStreamRequest.class,
      responseType = io.github.toolresult.v1.ProjectStreamResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectStreamRequest,
      io.github.toolresult.v1.ProjectStreamResponse> getProjectStreamMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectStreamRequest, io.github.toolresult.v1.ProjectStreamResponse> getProjectStreamMethod;
    if ((getProjectStreamMethod = ToolResultServiceGrpc.getProjectStreamMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getProjectStreamMethod = ToolResultServiceGrpc.getProjectStreamMethod) == null) {
          ToolResultServiceGrpc.getProjectStreamMethod = getProjectStreamMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ProjectStreamRequest, io.github.toolresult.v1.ProjectStreamResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ProjectStream"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectStreamRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectStreamResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("ProjectStream"))
              .build();
        }
      }
    }
    return getProjectStreamMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectSessionRequest,
      io.github.toolresult.v1.ProjectSessionResponse> getProjectSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ProjectSession",
      requestType = io.github.toolresult.v1.ProjectSessionRequest.class,
      responseType = io.github.toolresult.v1.ProjectSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectSessionRequest,
      io.github.toolresult.v1.ProjectSessionResponse> getProjectSessionMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectSessionRequest, io.github.toolresult.v1.ProjectSessionResponse> getProjectSessionMethod;
    if ((getProjectSessionMethod = ToolResultServiceGrpc.getProjectSessionMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getProjectSessionMethod = ToolResultServiceGrpc.getProjectSessionMethod) == null) {
          ToolResultServiceGrpc.getProjectSessionMethod = getProjectSessionMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ProjectSessionRequest, io.github.toolresult.v1.ProjectSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ProjectSession"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("ProjectSession"))
              .build();
        }
      }
    }
    return getProjectSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.RenderRequest,
      io.github.toolresult.v1.RenderResponse> getRenderMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Render",
      requestType = io.github.toolresult.v1.RenderRequest.class,
      responseType = io.github.toolresult.v1.RenderResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.RenderRequest,
      io.github.toolresult.v1.RenderResponse> getRenderMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.RenderRequest, io.github.toolresult.v1.RenderResponse> getRenderMethod;
    if ((getRenderMethod = ToolResultServiceGrpc.getRenderMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getRenderMethod = ToolResultServiceGrpc.getRenderMethod) == null) {
          ToolResultServiceGrpc.getRenderMethod = getRenderMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.RenderRequest, io.github.toolresult.v1.RenderResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Render"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.RenderRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.RenderResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("Render"))
              .build();
        }
      }
    }
    return getRenderMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ParseReceiptRequest,
      io.github.toolresult.v1.ParseReceiptResponse> getParseReceiptMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ParseReceipt",
      requestType = io.github.toolresult.v1.ParseReceiptRequest.class,
      responseType = io.github.toolresult.v1.ParseReceiptResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ParseReceiptRequest,
      io.github.toolresult.v1.ParseReceiptResponse> getParseReceiptMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ParseReceiptRequest, io.github.toolresult.v1.ParseReceiptResponse> getParseReceiptMethod;
    if ((getParseReceiptMethod = ToolResultServiceGrpc.getParseReceiptMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getParseReceiptMethod = ToolResultServiceGrpc.getParseReceiptMethod) == null) {
          ToolResultServiceGrpc.getParseReceiptMethod = getParseReceiptMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ParseReceiptRequest, io.github.toolresult.v1.ParseReceiptResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ParseReceipt"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ParseReceiptRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ParseReceiptResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("ParseReceipt"))
              .build();
        }
      }
    }
    return getParseReceiptMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectTurnRequest,
      io.github.toolresult.v1.ProjectTurnResponse> getProjectTurnMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ProjectTurn",
      requestType = io.github.toolresult.v1.ProjectTurnRequest.class,
      responseType = io.github.toolresult.v1.ProjectTurnResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectTurnRequest,
      io.github.toolresult.v1.ProjectTurnResponse> getProjectTurnMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ProjectTurnRequest, io.github.toolresult.v1.ProjectTurnResponse> getProjectTurnMethod;
    if ((getProjectTurnMethod = ToolResultServiceGrpc.getProjectTurnMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getProjectTurnMethod = ToolResultServiceGrpc.getProjectTurnMethod) == null) {
          ToolResultServiceGrpc.getProjectTurnMethod = getProjectTurnMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ProjectTurnRequest, io.github.toolresult.v1.ProjectTurnResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ProjectTurn"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectTurnRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ProjectTurnResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("ProjectTurn"))
              .build();
        }
      }
    }
    return getProjectTurnMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.CompactRequest,
      io.github.toolresult.v1.CompactResponse> getCompactMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "Compact",
      requestType = io.github.toolresult.v1.CompactRequest.class,
      responseType = io.github.toolresult.v1.CompactResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.CompactRequest,
      io.github.toolresult.v1.CompactResponse> getCompactMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.CompactRequest, io.github.toolresult.v1.CompactResponse> getCompactMethod;
    if ((getCompactMethod = ToolResultServiceGrpc.getCompactMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getCompactMethod = ToolResultServiceGrpc.getCompactMethod) == null) {
          ToolResultServiceGrpc.getCompactMethod = getCompactMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.CompactRequest, io.github.toolresult.v1.CompactResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "Compact"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CompactRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CompactResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("Compact"))
              .build();
        }
      }
    }
    return getCompactMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.CompactStreamRequest,
      io.github.toolresult.v1.CompactStreamResponse> getCompactStreamMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CompactStream",
      requestType = io.github.toolresult.v1.CompactStreamRequest.class,
      responseType = io.github.toolresult.v1.CompactStreamResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.CompactStreamRequest,
      io.github.toolresult.v1.CompactStreamResponse> getCompactStreamMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.CompactStreamRequest, io.github.toolresult.v1.CompactStreamResponse> getCompactStreamMethod;
    if ((getCompactStreamMethod = ToolResultServiceGrpc.getCompactStreamMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getCompactStreamMethod = ToolResultServiceGrpc.getCompactStreamMethod) == null) {
          ToolResultServiceGrpc.getCompactStreamMethod = getCompactStreamMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.CompactStreamRequest, io.github.toolresult.v1.CompactStreamResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CompactStream"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CompactStreamRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CompactStreamResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("CompactStream"))
              .build();
        }
      }
    }
    return getCompactStreamMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.GetServerInfoRequest,
      io.github.toolresult.v1.GetServerInfoResponse> getGetServerInfoMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetServerInfo",
      requestType = io.github.toolresult.v1.GetServerInfoRequest.class,
      responseType = io.github.toolresult.v1.GetServerInfoResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.GetServerInfoRequest,
      io.github.toolresult.v1.GetServerInfoResponse> getGetServerInfoMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.GetServerInfoRequest, io.github.toolresult.v1.GetServerInfoResponse> getGetServerInfoMethod;
    if ((getGetServerInfoMethod = ToolResultServiceGrpc.getGetServerInfoMethod) == null) {
      synchronized (ToolResultServiceGrpc.class) {
        if ((getGetServerInfoMethod = ToolResultServiceGrpc.getGetServerInfoMethod) == null) {
          ToolResultServiceGrpc.getGetServerInfoMethod = getGetServerInfoMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.GetServerInfoRequest, io.github.toolresult.v1.GetServerInfoResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetServerInfo"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.GetServerInfoRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.GetServerInfoResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolResultServiceMethodDescriptorSupplier("GetServerInfo"))
              .build();
        }
      }
    }
    return getGetServerInfoMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ToolResultServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceStub>() {
        @java.lang.Override
        public ToolResultServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolResultServiceStub(channel, callOptions);
        }
      };
    return ToolResultServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ToolResultServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceBlockingV2Stub>() {
        @java.lang.Override
        public ToolResultServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolResultServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ToolResultServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ToolResultServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceBlockingStub>() {
        @java.lang.Override
        public ToolResultServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolResultServiceBlockingStub(channel, callOptions);
        }
      };
    return ToolResultServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ToolResultServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolResultServiceFutureStub>() {
        @java.lang.Override
        public ToolResultServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolResultServiceFutureStub(channel, callOptions);
        }
      };
    return ToolResultServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * ToolResultService turns complete tool output into canonical results and the
   * receipts that a model reads.
   * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
   * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
   * Payload, any bytes.
   * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
   * reason as in ErrorReason) and, where a field is to blame, a
   * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
   * itself ends before the server sees the call has no ErrorInfo: headers of more than
   * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
   * Every RPC may also answer:
   *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
   *     "authorization: Bearer &lt;token&gt;".
   *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
   *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
   *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
   *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
   *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
   *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
   *     decides; the same call is safe to repeat, artifacts are
   *     content-addressed.
   *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
   *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
   *     a string is not UTF-8; payloads take any bytes.
   *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
   *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
   *     caller; retry after the RetryInfo.
   *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
   *     get another one.
   *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
   *     confined to a session (AccessService).
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * Project turns one complete tool output into its canonical result and
     * receipt, and stores what neither of them shows.
     * An output of a case or a custom family that this server does not know is shown as
     * text, and its receipt says so; GetServerInfo lists those that it knows.
     * The receipt fits the budget of the policy as a whole. The same output,
     * policy and store give the same bytes on every call. Every artifact that the
     * answer names is durable when the answer is sent, unless the answer says
     * that the store is volatile.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, MESSAGE_INVALID): a mistake of
     *     the caller, never of the tool (docs/reference/errors.md); correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): what must be kept (outcome, counts,
     *     handles) does not fit; raise the budget by the shortfall.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE): nothing was
     *     stored; an operator must act.
     *   FAILED_PRECONDITION (STORE_READ_ONLY): as above.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE): nothing was stored; end the
     *     lease of sessions that are over, or ask the operator for more.
     *   ABORTED (GC_RACE): make the same call again.
     *   PERMISSION_DENIED (FILE_NOT_ALLOWED), NOT_FOUND (FILE_NOT_FOUND): a payload names a
     *     file that the operator did not allow, or that is not there.
     *   ABORTED (FILE_CHANGED): a file changed while it was read; make the call again
     *     when nobody writes to it.
     *   INTERNAL (STORE_FAILED): the store failed; its log has the incident id.
     *   ALREADY_EXISTS (REQUEST_ID_REUSED): the request id was used for another request.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): register the values again, and make the call again.
     *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the audit log failed; the server must start again.
     *   FAILED_PRECONDITION (AUDIT_DISABLED): a request id needs an audit log, and none is kept.
     *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): retry after the RetryInfo; with a request id that is safe.
     * </pre>
     */
    default void project(io.github.toolresult.v1.ProjectRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getProjectMethod(), responseObserver);
    }

    /**
     * <pre>
     * ProjectStream is Project for outputs of any size, which may still be arriving:
     * the same data gives the same answer. The client sends one header, then chunks
     * of one or several streams in the order in which they were written, and at last
     * what Project takes, with payloads that name their stream. At any time it may
     * ask for a snapshot: a projection of what was received so far, for example of a
     * command that is promoted to a task. Answers come in the order of the snapshots,
     * and the last one is the result; the server then ends the call.
     * Memory does not grow with the streams; they are spooled into the artifact
     * store. Chunks of 256 KiB are fast; 32 to 64 KiB are slow with some clients.
     * A call that ends without its finish leaves nothing behind, unless the header
     * says otherwise.
     * Errors: those of Project, and
     *   INVALID_ARGUMENT (FAMILY_UNKNOWN): the family of the header is no name of one.
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later
     *     one is; or the stream ends without a finish.
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): a payload names a stream of which
     *     no chunk was received and that the header does not name, or there are more than
     *     64 streams.
     *   INVALID_ARGUMENT (CHUNK_ORDER, SIZE_MISMATCH): a chunk or a size is not what
     *     was received; bytes were lost on the way, send the output again.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle; output that is written slowly is for AppendLog.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectStreamRequest> projectStream(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectStreamResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getProjectStreamMethod(), responseObserver);
    }

    /**
     * <pre>
     * ProjectSession is Project for a runtime that makes many calls: each message is a call,
     * and each call has one answer, which is that of Project or the status that Project would
     * end with. A stream costs less than a call for each. Up to 64 calls of a stream are worked
     * on at the same time, and answers come as they are ready, in any order; a call that needs
     * what an earlier one did is sent after its answer. The server takes no more calls while
     * that many have no answer yet, or while the client takes none.
     * Everything that holds for a call of Project holds for each call of a stream: rights, the
     * session of a token, limits of memory, request ids, records and the default deadline. The
     * id of a call in logs and records is the x-request-id of the stream, "/" and its number,
     * and its method is Project.
     * When the client closes its side, the server answers what it has, and ends the stream with
     * OK. When it ends it with another status, it has answered every call that it began, unless
     * the client went away or took no answers: what has no answer then can be sent again.
     * Errors of a call, in its answer: those of Project, and those that every RPC may answer.
     * Errors of the stream: those that every RPC may answer, where a message is none whose
     * number can be read, and
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): the number of a call is that of one under way;
     *     choose another for each, such as the next one.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): nothing was under way and no message was received, or
     *     no answer was taken, for longer than Limits.stream_idle; open another stream.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectSessionRequest> projectSession(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectSessionResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getProjectSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * Render makes the receipt of a canonical result, for example one that the
     * runtime kept, under another policy. It reads nothing but its request, so a
     * receipt can never show more than the canonical result does.
     * A preview is never cut here: when the receipt does not fit the budget the
     * call fails and Compact is the way to make it smaller.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID,
     *     JSON_TOO_DEEP, JSON_DUPLICATE_KEY, ARTIFACT_INDEX_INVALID,
     *     LEDGER_INVALID, TEXT_NOT_SANITISED, FAMILY_UNKNOWN): the canonical
     *     result is not one that Project or Compact of this server answered; do
     *     not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): raise the budget by the shortfall,
     *     or compact first.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): the call has no result
     *     on record; send the result itself.
     * </pre>
     */
    default void render(io.github.toolresult.v1.RenderRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.RenderResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRenderMethod(), responseObserver);
    }

    /**
     * <pre>
     * ParseReceipt reads a receipt back: its outcome, facts and sections. Tool text cannot
     * change what it answers. A runtime has no need of it, it has the canonical result; it
     * serves tests, audits and people.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FAMILY_UNKNOWN): correct the field that BadRequest
     *     names.
     *   INVALID_ARGUMENT (RECEIPT_INVALID): the text is no receipt of this grammar.
     * </pre>
     */
    default void parseReceipt(io.github.toolresult.v1.ParseReceiptRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ParseReceiptResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getParseReceiptMethod(), responseObserver);
    }

    /**
     * <pre>
     * ProjectTurn is Project for the outputs of parallel calls that share one budget. An
     * output that needs less than an equal share leaves the rest to those that need
     * more, and a failure comes before the others. Where the budget has space for all of
     * them, the answers are those of Project, each under its own policy; where it has
     * not, each is that of Project with the tokens of its share. The order of the
     * outputs changes nothing but the order of the answers. For that the outputs of a
     * turn are not compared with each other (UnchangedPolicy), but with those of earlier
     * turns alone.
     * Errors: those of Project, for all outputs or none, with a field path that begins
     * with outputs[i], and
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS): of the turn itself, or an
     *     output counts in another vocabulary than the first.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): of total_tokens, by the smallest receipts of
     *     all outputs together.
     * </pre>
     */
    default void projectTurn(io.github.toolresult.v1.ProjectTurnRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectTurnResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getProjectTurnMethod(), responseObserver);
    }

    /**
     * <pre>
     * Compact brings the canonical results of a history to fewer tokens, with every
     * outcome, identifier, handle, count and error kept: as far as a budget for all of
     * them makes it, or all of them to one level. It follows the retention of each field
     * and never looks at receipt text. Compacting again by the same policy changes
     * nothing, byte for byte; a smaller budget never shows more of a result; and no
     * level is ever undone. What was protected, or is before the cache boundary, stays as
     * it is, and so does a result that this version does not know or that is not as the
     * contract has it: no result stops the history that it is in. The answer has the
     * results that changed, and no others.
     * When what must be kept is over the budget the call succeeds, and the plan has the
     * shortfall.
     * A preview that has no artifact yet is stored before it is shortened, so
     * that everything omitted can still be read. A dry run stores nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, FAMILY_UNKNOWN): a mistake of the caller in ids, subjects, turns or the
     *     policy; the field path begins with entries[i] or policy, or is session_id.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): the receipt of a result does not fit
     *     policy.render.budget; raise it by the shortfall.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): an entry without a
     *     result names a call that has none on record.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE),
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): as for
     *     Project; no result was changed.
     * </pre>
     */
    default void compact(io.github.toolresult.v1.CompactRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCompactMethod(), responseObserver);
    }

    /**
     * <pre>
     * CompactStream is Compact for histories of any length: the same history gives the same
     * results. The client sends one header, then the entries, and closes its side; the
     * server answers when it has them all. Its memory does not grow with the texts of the
     * results. At most 32,768 entries.
     * Errors: those of Compact, and
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later one is.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactStreamRequest> compactStream(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactStreamResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getCompactStreamMethod(), responseObserver);
    }

    /**
     * <pre>
     * GetServerInfo says what this server is and what it accepts, so that a
     * client needs no constants of its own.
     * Errors: only those that every RPC may answer.
     * </pre>
     */
    default void getServerInfo(io.github.toolresult.v1.GetServerInfoRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetServerInfoResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetServerInfoMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ToolResultService.
   * <pre>
   * ToolResultService turns complete tool output into canonical results and the
   * receipts that a model reads.
   * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
   * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
   * Payload, any bytes.
   * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
   * reason as in ErrorReason) and, where a field is to blame, a
   * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
   * itself ends before the server sees the call has no ErrorInfo: headers of more than
   * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
   * Every RPC may also answer:
   *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
   *     "authorization: Bearer &lt;token&gt;".
   *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
   *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
   *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
   *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
   *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
   *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
   *     decides; the same call is safe to repeat, artifacts are
   *     content-addressed.
   *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
   *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
   *     a string is not UTF-8; payloads take any bytes.
   *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
   *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
   *     caller; retry after the RetryInfo.
   *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
   *     get another one.
   *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
   *     confined to a session (AccessService).
   * </pre>
   */
  public static abstract class ToolResultServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ToolResultServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ToolResultService.
   * <pre>
   * ToolResultService turns complete tool output into canonical results and the
   * receipts that a model reads.
   * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
   * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
   * Payload, any bytes.
   * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
   * reason as in ErrorReason) and, where a field is to blame, a
   * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
   * itself ends before the server sees the call has no ErrorInfo: headers of more than
   * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
   * Every RPC may also answer:
   *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
   *     "authorization: Bearer &lt;token&gt;".
   *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
   *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
   *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
   *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
   *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
   *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
   *     decides; the same call is safe to repeat, artifacts are
   *     content-addressed.
   *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
   *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
   *     a string is not UTF-8; payloads take any bytes.
   *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
   *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
   *     caller; retry after the RetryInfo.
   *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
   *     get another one.
   *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
   *     confined to a session (AccessService).
   * </pre>
   */
  public static final class ToolResultServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ToolResultServiceStub> {
    private ToolResultServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolResultServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolResultServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * Project turns one complete tool output into its canonical result and
     * receipt, and stores what neither of them shows.
     * An output of a case or a custom family that this server does not know is shown as
     * text, and its receipt says so; GetServerInfo lists those that it knows.
     * The receipt fits the budget of the policy as a whole. The same output,
     * policy and store give the same bytes on every call. Every artifact that the
     * answer names is durable when the answer is sent, unless the answer says
     * that the store is volatile.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, MESSAGE_INVALID): a mistake of
     *     the caller, never of the tool (docs/reference/errors.md); correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): what must be kept (outcome, counts,
     *     handles) does not fit; raise the budget by the shortfall.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE): nothing was
     *     stored; an operator must act.
     *   FAILED_PRECONDITION (STORE_READ_ONLY): as above.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE): nothing was stored; end the
     *     lease of sessions that are over, or ask the operator for more.
     *   ABORTED (GC_RACE): make the same call again.
     *   PERMISSION_DENIED (FILE_NOT_ALLOWED), NOT_FOUND (FILE_NOT_FOUND): a payload names a
     *     file that the operator did not allow, or that is not there.
     *   ABORTED (FILE_CHANGED): a file changed while it was read; make the call again
     *     when nobody writes to it.
     *   INTERNAL (STORE_FAILED): the store failed; its log has the incident id.
     *   ALREADY_EXISTS (REQUEST_ID_REUSED): the request id was used for another request.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): register the values again, and make the call again.
     *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the audit log failed; the server must start again.
     *   FAILED_PRECONDITION (AUDIT_DISABLED): a request id needs an audit log, and none is kept.
     *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): retry after the RetryInfo; with a request id that is safe.
     * </pre>
     */
    public void project(io.github.toolresult.v1.ProjectRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getProjectMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ProjectStream is Project for outputs of any size, which may still be arriving:
     * the same data gives the same answer. The client sends one header, then chunks
     * of one or several streams in the order in which they were written, and at last
     * what Project takes, with payloads that name their stream. At any time it may
     * ask for a snapshot: a projection of what was received so far, for example of a
     * command that is promoted to a task. Answers come in the order of the snapshots,
     * and the last one is the result; the server then ends the call.
     * Memory does not grow with the streams; they are spooled into the artifact
     * store. Chunks of 256 KiB are fast; 32 to 64 KiB are slow with some clients.
     * A call that ends without its finish leaves nothing behind, unless the header
     * says otherwise.
     * Errors: those of Project, and
     *   INVALID_ARGUMENT (FAMILY_UNKNOWN): the family of the header is no name of one.
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later
     *     one is; or the stream ends without a finish.
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): a payload names a stream of which
     *     no chunk was received and that the header does not name, or there are more than
     *     64 streams.
     *   INVALID_ARGUMENT (CHUNK_ORDER, SIZE_MISMATCH): a chunk or a size is not what
     *     was received; bytes were lost on the way, send the output again.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle; output that is written slowly is for AppendLog.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectStreamRequest> projectStream(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectStreamResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getProjectStreamMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * ProjectSession is Project for a runtime that makes many calls: each message is a call,
     * and each call has one answer, which is that of Project or the status that Project would
     * end with. A stream costs less than a call for each. Up to 64 calls of a stream are worked
     * on at the same time, and answers come as they are ready, in any order; a call that needs
     * what an earlier one did is sent after its answer. The server takes no more calls while
     * that many have no answer yet, or while the client takes none.
     * Everything that holds for a call of Project holds for each call of a stream: rights, the
     * session of a token, limits of memory, request ids, records and the default deadline. The
     * id of a call in logs and records is the x-request-id of the stream, "/" and its number,
     * and its method is Project.
     * When the client closes its side, the server answers what it has, and ends the stream with
     * OK. When it ends it with another status, it has answered every call that it began, unless
     * the client went away or took no answers: what has no answer then can be sent again.
     * Errors of a call, in its answer: those of Project, and those that every RPC may answer.
     * Errors of the stream: those that every RPC may answer, where a message is none whose
     * number can be read, and
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): the number of a call is that of one under way;
     *     choose another for each, such as the next one.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): nothing was under way and no message was received, or
     *     no answer was taken, for longer than Limits.stream_idle; open another stream.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectSessionRequest> projectSession(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectSessionResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getProjectSessionMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * Render makes the receipt of a canonical result, for example one that the
     * runtime kept, under another policy. It reads nothing but its request, so a
     * receipt can never show more than the canonical result does.
     * A preview is never cut here: when the receipt does not fit the budget the
     * call fails and Compact is the way to make it smaller.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID,
     *     JSON_TOO_DEEP, JSON_DUPLICATE_KEY, ARTIFACT_INDEX_INVALID,
     *     LEDGER_INVALID, TEXT_NOT_SANITISED, FAMILY_UNKNOWN): the canonical
     *     result is not one that Project or Compact of this server answered; do
     *     not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): raise the budget by the shortfall,
     *     or compact first.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): the call has no result
     *     on record; send the result itself.
     * </pre>
     */
    public void render(io.github.toolresult.v1.RenderRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.RenderResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRenderMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ParseReceipt reads a receipt back: its outcome, facts and sections. Tool text cannot
     * change what it answers. A runtime has no need of it, it has the canonical result; it
     * serves tests, audits and people.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FAMILY_UNKNOWN): correct the field that BadRequest
     *     names.
     *   INVALID_ARGUMENT (RECEIPT_INVALID): the text is no receipt of this grammar.
     * </pre>
     */
    public void parseReceipt(io.github.toolresult.v1.ParseReceiptRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ParseReceiptResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getParseReceiptMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ProjectTurn is Project for the outputs of parallel calls that share one budget. An
     * output that needs less than an equal share leaves the rest to those that need
     * more, and a failure comes before the others. Where the budget has space for all of
     * them, the answers are those of Project, each under its own policy; where it has
     * not, each is that of Project with the tokens of its share. The order of the
     * outputs changes nothing but the order of the answers. For that the outputs of a
     * turn are not compared with each other (UnchangedPolicy), but with those of earlier
     * turns alone.
     * Errors: those of Project, for all outputs or none, with a field path that begins
     * with outputs[i], and
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS): of the turn itself, or an
     *     output counts in another vocabulary than the first.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): of total_tokens, by the smallest receipts of
     *     all outputs together.
     * </pre>
     */
    public void projectTurn(io.github.toolresult.v1.ProjectTurnRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectTurnResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getProjectTurnMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * Compact brings the canonical results of a history to fewer tokens, with every
     * outcome, identifier, handle, count and error kept: as far as a budget for all of
     * them makes it, or all of them to one level. It follows the retention of each field
     * and never looks at receipt text. Compacting again by the same policy changes
     * nothing, byte for byte; a smaller budget never shows more of a result; and no
     * level is ever undone. What was protected, or is before the cache boundary, stays as
     * it is, and so does a result that this version does not know or that is not as the
     * contract has it: no result stops the history that it is in. The answer has the
     * results that changed, and no others.
     * When what must be kept is over the budget the call succeeds, and the plan has the
     * shortfall.
     * A preview that has no artifact yet is stored before it is shortened, so
     * that everything omitted can still be read. A dry run stores nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, FAMILY_UNKNOWN): a mistake of the caller in ids, subjects, turns or the
     *     policy; the field path begins with entries[i] or policy, or is session_id.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): the receipt of a result does not fit
     *     policy.render.budget; raise it by the shortfall.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): an entry without a
     *     result names a call that has none on record.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE),
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): as for
     *     Project; no result was changed.
     * </pre>
     */
    public void compact(io.github.toolresult.v1.CompactRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCompactMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CompactStream is Compact for histories of any length: the same history gives the same
     * results. The client sends one header, then the entries, and closes its side; the
     * server answers when it has them all. Its memory does not grow with the texts of the
     * results. At most 32,768 entries.
     * Errors: those of Compact, and
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later one is.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactStreamRequest> compactStream(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactStreamResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getCompactStreamMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * GetServerInfo says what this server is and what it accepts, so that a
     * client needs no constants of its own.
     * Errors: only those that every RPC may answer.
     * </pre>
     */
    public void getServerInfo(io.github.toolresult.v1.GetServerInfoRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetServerInfoResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetServerInfoMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ToolResultService.
   * <pre>
   * ToolResultService turns complete tool output into canonical results and the
   * receipts that a model reads.
   * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
   * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
   * Payload, any bytes.
   * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
   * reason as in ErrorReason) and, where a field is to blame, a
   * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
   * itself ends before the server sees the call has no ErrorInfo: headers of more than
   * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
   * Every RPC may also answer:
   *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
   *     "authorization: Bearer &lt;token&gt;".
   *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
   *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
   *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
   *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
   *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
   *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
   *     decides; the same call is safe to repeat, artifacts are
   *     content-addressed.
   *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
   *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
   *     a string is not UTF-8; payloads take any bytes.
   *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
   *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
   *     caller; retry after the RetryInfo.
   *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
   *     get another one.
   *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
   *     confined to a session (AccessService).
   * </pre>
   */
  public static final class ToolResultServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ToolResultServiceBlockingV2Stub> {
    private ToolResultServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolResultServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolResultServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * Project turns one complete tool output into its canonical result and
     * receipt, and stores what neither of them shows.
     * An output of a case or a custom family that this server does not know is shown as
     * text, and its receipt says so; GetServerInfo lists those that it knows.
     * The receipt fits the budget of the policy as a whole. The same output,
     * policy and store give the same bytes on every call. Every artifact that the
     * answer names is durable when the answer is sent, unless the answer says
     * that the store is volatile.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, MESSAGE_INVALID): a mistake of
     *     the caller, never of the tool (docs/reference/errors.md); correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): what must be kept (outcome, counts,
     *     handles) does not fit; raise the budget by the shortfall.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE): nothing was
     *     stored; an operator must act.
     *   FAILED_PRECONDITION (STORE_READ_ONLY): as above.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE): nothing was stored; end the
     *     lease of sessions that are over, or ask the operator for more.
     *   ABORTED (GC_RACE): make the same call again.
     *   PERMISSION_DENIED (FILE_NOT_ALLOWED), NOT_FOUND (FILE_NOT_FOUND): a payload names a
     *     file that the operator did not allow, or that is not there.
     *   ABORTED (FILE_CHANGED): a file changed while it was read; make the call again
     *     when nobody writes to it.
     *   INTERNAL (STORE_FAILED): the store failed; its log has the incident id.
     *   ALREADY_EXISTS (REQUEST_ID_REUSED): the request id was used for another request.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): register the values again, and make the call again.
     *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the audit log failed; the server must start again.
     *   FAILED_PRECONDITION (AUDIT_DISABLED): a request id needs an audit log, and none is kept.
     *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): retry after the RetryInfo; with a request id that is safe.
     * </pre>
     */
    public io.github.toolresult.v1.ProjectResponse project(io.github.toolresult.v1.ProjectRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getProjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ProjectStream is Project for outputs of any size, which may still be arriving:
     * the same data gives the same answer. The client sends one header, then chunks
     * of one or several streams in the order in which they were written, and at last
     * what Project takes, with payloads that name their stream. At any time it may
     * ask for a snapshot: a projection of what was received so far, for example of a
     * command that is promoted to a task. Answers come in the order of the snapshots,
     * and the last one is the result; the server then ends the call.
     * Memory does not grow with the streams; they are spooled into the artifact
     * store. Chunks of 256 KiB are fast; 32 to 64 KiB are slow with some clients.
     * A call that ends without its finish leaves nothing behind, unless the header
     * says otherwise.
     * Errors: those of Project, and
     *   INVALID_ARGUMENT (FAMILY_UNKNOWN): the family of the header is no name of one.
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later
     *     one is; or the stream ends without a finish.
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): a payload names a stream of which
     *     no chunk was received and that the header does not name, or there are more than
     *     64 streams.
     *   INVALID_ARGUMENT (CHUNK_ORDER, SIZE_MISMATCH): a chunk or a size is not what
     *     was received; bytes were lost on the way, send the output again.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle; output that is written slowly is for AppendLog.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.github.toolresult.v1.ProjectStreamRequest, io.github.toolresult.v1.ProjectStreamResponse>
        projectStream() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getProjectStreamMethod(), getCallOptions());
    }

    /**
     * <pre>
     * ProjectSession is Project for a runtime that makes many calls: each message is a call,
     * and each call has one answer, which is that of Project or the status that Project would
     * end with. A stream costs less than a call for each. Up to 64 calls of a stream are worked
     * on at the same time, and answers come as they are ready, in any order; a call that needs
     * what an earlier one did is sent after its answer. The server takes no more calls while
     * that many have no answer yet, or while the client takes none.
     * Everything that holds for a call of Project holds for each call of a stream: rights, the
     * session of a token, limits of memory, request ids, records and the default deadline. The
     * id of a call in logs and records is the x-request-id of the stream, "/" and its number,
     * and its method is Project.
     * When the client closes its side, the server answers what it has, and ends the stream with
     * OK. When it ends it with another status, it has answered every call that it began, unless
     * the client went away or took no answers: what has no answer then can be sent again.
     * Errors of a call, in its answer: those of Project, and those that every RPC may answer.
     * Errors of the stream: those that every RPC may answer, where a message is none whose
     * number can be read, and
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): the number of a call is that of one under way;
     *     choose another for each, such as the next one.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): nothing was under way and no message was received, or
     *     no answer was taken, for longer than Limits.stream_idle; open another stream.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.github.toolresult.v1.ProjectSessionRequest, io.github.toolresult.v1.ProjectSessionResponse>
        projectSession() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getProjectSessionMethod(), getCallOptions());
    }

    /**
     * <pre>
     * Render makes the receipt of a canonical result, for example one that the
     * runtime kept, under another policy. It reads nothing but its request, so a
     * receipt can never show more than the canonical result does.
     * A preview is never cut here: when the receipt does not fit the budget the
     * call fails and Compact is the way to make it smaller.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID,
     *     JSON_TOO_DEEP, JSON_DUPLICATE_KEY, ARTIFACT_INDEX_INVALID,
     *     LEDGER_INVALID, TEXT_NOT_SANITISED, FAMILY_UNKNOWN): the canonical
     *     result is not one that Project or Compact of this server answered; do
     *     not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): raise the budget by the shortfall,
     *     or compact first.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): the call has no result
     *     on record; send the result itself.
     * </pre>
     */
    public io.github.toolresult.v1.RenderResponse render(io.github.toolresult.v1.RenderRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRenderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ParseReceipt reads a receipt back: its outcome, facts and sections. Tool text cannot
     * change what it answers. A runtime has no need of it, it has the canonical result; it
     * serves tests, audits and people.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FAMILY_UNKNOWN): correct the field that BadRequest
     *     names.
     *   INVALID_ARGUMENT (RECEIPT_INVALID): the text is no receipt of this grammar.
     * </pre>
     */
    public io.github.toolresult.v1.ParseReceiptResponse parseReceipt(io.github.toolresult.v1.ParseReceiptRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getParseReceiptMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ProjectTurn is Project for the outputs of parallel calls that share one budget. An
     * output that needs less than an equal share leaves the rest to those that need
     * more, and a failure comes before the others. Where the budget has space for all of
     * them, the answers are those of Project, each under its own policy; where it has
     * not, each is that of Project with the tokens of its share. The order of the
     * outputs changes nothing but the order of the answers. For that the outputs of a
     * turn are not compared with each other (UnchangedPolicy), but with those of earlier
     * turns alone.
     * Errors: those of Project, for all outputs or none, with a field path that begins
     * with outputs[i], and
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS): of the turn itself, or an
     *     output counts in another vocabulary than the first.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): of total_tokens, by the smallest receipts of
     *     all outputs together.
     * </pre>
     */
    public io.github.toolresult.v1.ProjectTurnResponse projectTurn(io.github.toolresult.v1.ProjectTurnRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getProjectTurnMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compact brings the canonical results of a history to fewer tokens, with every
     * outcome, identifier, handle, count and error kept: as far as a budget for all of
     * them makes it, or all of them to one level. It follows the retention of each field
     * and never looks at receipt text. Compacting again by the same policy changes
     * nothing, byte for byte; a smaller budget never shows more of a result; and no
     * level is ever undone. What was protected, or is before the cache boundary, stays as
     * it is, and so does a result that this version does not know or that is not as the
     * contract has it: no result stops the history that it is in. The answer has the
     * results that changed, and no others.
     * When what must be kept is over the budget the call succeeds, and the plan has the
     * shortfall.
     * A preview that has no artifact yet is stored before it is shortened, so
     * that everything omitted can still be read. A dry run stores nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, FAMILY_UNKNOWN): a mistake of the caller in ids, subjects, turns or the
     *     policy; the field path begins with entries[i] or policy, or is session_id.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): the receipt of a result does not fit
     *     policy.render.budget; raise it by the shortfall.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): an entry without a
     *     result names a call that has none on record.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE),
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): as for
     *     Project; no result was changed.
     * </pre>
     */
    public io.github.toolresult.v1.CompactResponse compact(io.github.toolresult.v1.CompactRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCompactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CompactStream is Compact for histories of any length: the same history gives the same
     * results. The client sends one header, then the entries, and closes its side; the
     * server answers when it has them all. Its memory does not grow with the texts of the
     * results. At most 32,768 entries.
     * Errors: those of Compact, and
     *   INVALID_ARGUMENT (STREAM_ORDER): the first message is no header, or a later one is.
     *   DEADLINE_EXCEEDED (STREAM_IDLE): no message was received for longer than
     *     Limits.stream_idle.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.github.toolresult.v1.CompactStreamRequest, io.github.toolresult.v1.CompactStreamResponse>
        compactStream() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getCompactStreamMethod(), getCallOptions());
    }

    /**
     * <pre>
     * GetServerInfo says what this server is and what it accepts, so that a
     * client needs no constants of its own.
     * Errors: only those that every RPC may answer.
     * </pre>
     */
    public io.github.toolresult.v1.GetServerInfoResponse getServerInfo(io.github.toolresult.v1.GetServerInfoRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetServerInfoMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ToolResultService.
   * <pre>
   * ToolResultService turns complete tool output into canonical results and the
   * receipts that a model reads.
   * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
   * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
   * Payload, any bytes.
   * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
   * reason as in ErrorReason) and, where a field is to blame, a
   * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
   * itself ends before the server sees the call has no ErrorInfo: headers of more than
   * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
   * Every RPC may also answer:
   *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
   *     "authorization: Bearer &lt;token&gt;".
   *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
   *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
   *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
   *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
   *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
   *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
   *     decides; the same call is safe to repeat, artifacts are
   *     content-addressed.
   *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
   *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
   *     a string is not UTF-8; payloads take any bytes.
   *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
   *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
   *     caller; retry after the RetryInfo.
   *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
   *     get another one.
   *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
   *     confined to a session (AccessService).
   * </pre>
   */
  public static final class ToolResultServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ToolResultServiceBlockingStub> {
    private ToolResultServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolResultServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolResultServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * Project turns one complete tool output into its canonical result and
     * receipt, and stores what neither of them shows.
     * An output of a case or a custom family that this server does not know is shown as
     * text, and its receipt says so; GetServerInfo lists those that it knows.
     * The receipt fits the budget of the policy as a whole. The same output,
     * policy and store give the same bytes on every call. Every artifact that the
     * answer names is durable when the answer is sent, unless the answer says
     * that the store is volatile.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, MESSAGE_INVALID): a mistake of
     *     the caller, never of the tool (docs/reference/errors.md); correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): what must be kept (outcome, counts,
     *     handles) does not fit; raise the budget by the shortfall.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE): nothing was
     *     stored; an operator must act.
     *   FAILED_PRECONDITION (STORE_READ_ONLY): as above.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE): nothing was stored; end the
     *     lease of sessions that are over, or ask the operator for more.
     *   ABORTED (GC_RACE): make the same call again.
     *   PERMISSION_DENIED (FILE_NOT_ALLOWED), NOT_FOUND (FILE_NOT_FOUND): a payload names a
     *     file that the operator did not allow, or that is not there.
     *   ABORTED (FILE_CHANGED): a file changed while it was read; make the call again
     *     when nobody writes to it.
     *   INTERNAL (STORE_FAILED): the store failed; its log has the incident id.
     *   ALREADY_EXISTS (REQUEST_ID_REUSED): the request id was used for another request.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): register the values again, and make the call again.
     *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the audit log failed; the server must start again.
     *   FAILED_PRECONDITION (AUDIT_DISABLED): a request id needs an audit log, and none is kept.
     *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): retry after the RetryInfo; with a request id that is safe.
     * </pre>
     */
    public io.github.toolresult.v1.ProjectResponse project(io.github.toolresult.v1.ProjectRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getProjectMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Render makes the receipt of a canonical result, for example one that the
     * runtime kept, under another policy. It reads nothing but its request, so a
     * receipt can never show more than the canonical result does.
     * A preview is never cut here: when the receipt does not fit the budget the
     * call fails and Compact is the way to make it smaller.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID,
     *     JSON_TOO_DEEP, JSON_DUPLICATE_KEY, ARTIFACT_INDEX_INVALID,
     *     LEDGER_INVALID, TEXT_NOT_SANITISED, FAMILY_UNKNOWN): the canonical
     *     result is not one that Project or Compact of this server answered; do
     *     not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): raise the budget by the shortfall,
     *     or compact first.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): the call has no result
     *     on record; send the result itself.
     * </pre>
     */
    public io.github.toolresult.v1.RenderResponse render(io.github.toolresult.v1.RenderRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRenderMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ParseReceipt reads a receipt back: its outcome, facts and sections. Tool text cannot
     * change what it answers. A runtime has no need of it, it has the canonical result; it
     * serves tests, audits and people.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FAMILY_UNKNOWN): correct the field that BadRequest
     *     names.
     *   INVALID_ARGUMENT (RECEIPT_INVALID): the text is no receipt of this grammar.
     * </pre>
     */
    public io.github.toolresult.v1.ParseReceiptResponse parseReceipt(io.github.toolresult.v1.ParseReceiptRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getParseReceiptMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ProjectTurn is Project for the outputs of parallel calls that share one budget. An
     * output that needs less than an equal share leaves the rest to those that need
     * more, and a failure comes before the others. Where the budget has space for all of
     * them, the answers are those of Project, each under its own policy; where it has
     * not, each is that of Project with the tokens of its share. The order of the
     * outputs changes nothing but the order of the answers. For that the outputs of a
     * turn are not compared with each other (UnchangedPolicy), but with those of earlier
     * turns alone.
     * Errors: those of Project, for all outputs or none, with a field path that begins
     * with outputs[i], and
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS): of the turn itself, or an
     *     output counts in another vocabulary than the first.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): of total_tokens, by the smallest receipts of
     *     all outputs together.
     * </pre>
     */
    public io.github.toolresult.v1.ProjectTurnResponse projectTurn(io.github.toolresult.v1.ProjectTurnRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getProjectTurnMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * Compact brings the canonical results of a history to fewer tokens, with every
     * outcome, identifier, handle, count and error kept: as far as a budget for all of
     * them makes it, or all of them to one level. It follows the retention of each field
     * and never looks at receipt text. Compacting again by the same policy changes
     * nothing, byte for byte; a smaller budget never shows more of a result; and no
     * level is ever undone. What was protected, or is before the cache boundary, stays as
     * it is, and so does a result that this version does not know or that is not as the
     * contract has it: no result stops the history that it is in. The answer has the
     * results that changed, and no others.
     * When what must be kept is over the budget the call succeeds, and the plan has the
     * shortfall.
     * A preview that has no artifact yet is stored before it is shortened, so
     * that everything omitted can still be read. A dry run stores nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, FAMILY_UNKNOWN): a mistake of the caller in ids, subjects, turns or the
     *     policy; the field path begins with entries[i] or policy, or is session_id.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): the receipt of a result does not fit
     *     policy.render.budget; raise it by the shortfall.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): an entry without a
     *     result names a call that has none on record.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE),
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): as for
     *     Project; no result was changed.
     * </pre>
     */
    public io.github.toolresult.v1.CompactResponse compact(io.github.toolresult.v1.CompactRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCompactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * GetServerInfo says what this server is and what it accepts, so that a
     * client needs no constants of its own.
     * Errors: only those that every RPC may answer.
     * </pre>
     */
    public io.github.toolresult.v1.GetServerInfoResponse getServerInfo(io.github.toolresult.v1.GetServerInfoRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetServerInfoMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ToolResultService.
   * <pre>
   * ToolResultService turns complete tool output into canonical results and the
   * receipts that a model reads.
   * JSON has one form on the wire: a string field whose name ends in "_json", valid JSON
   * text in UTF-8. What a tool wrote is not that, also where it should be JSON: it is a
   * Payload, any bytes.
   * Every rejection carries one google.rpc.ErrorInfo (domain "toolresult.v1",
   * reason as in ErrorReason) and, where a field is to blame, a
   * google.rpc.BadRequest. A rejected call has stored nothing that an answer names. What gRPC
   * itself ends before the server sees the call has no ErrorInfo: headers of more than
   * 16 KiB, a path that is no method, a compression other than gzip (UNIMPLEMENTED).
   * Every RPC may also answer:
   *   UNAUTHENTICATED (TOKEN_MISSING, TOKEN_INVALID): over TCP only; send
   *     "authorization: Bearer &lt;token&gt;".
   *   PERMISSION_DENIED (AUTHORITY_NOT_ALLOWED): over TCP only; call the loopback address.
   *   RESOURCE_EXHAUSTED (MESSAGE_TOO_LARGE): send less; do not retry.
   *   RESOURCE_EXHAUSTED (IN_FLIGHT_BYTES): retry after the RetryInfo.
   *   UNAVAILABLE (DRAINING): the server is shutting down; connect again later.
   *   UNAVAILABLE (STORE_UNAVAILABLE): nothing was stored; retry after the RetryInfo.
   *   CANCELLED (CLIENT_CANCELLED), DEADLINE_EXCEEDED (DEADLINE): the caller
   *     decides; the same call is safe to repeat, artifacts are
   *     content-addressed.
   *   INTERNAL (PANIC, INTERNAL): a fault of the server; its log has the incident id.
   *   INVALID_ARGUMENT (MESSAGE_INVALID): the request cannot be decoded, for example because
   *     a string is not UTF-8; payloads take any bytes.
   *   UNIMPLEMENTED (METHOD_UNKNOWN): the server is older than the client.
   *   UNAUTHENTICATED (TOKEN_BACKOFF): too many wrong tokens were sent from the address of the
   *     caller; retry after the RetryInfo.
   *   UNAUTHENTICATED (TOKEN_EXPIRED): the token of the session has ended or was taken back;
   *     get another one.
   *   PERMISSION_DENIED (SESSION_MISMATCH, METHOD_NOT_ALLOWED): the token of the caller is
   *     confined to a session (AccessService).
   * </pre>
   */
  public static final class ToolResultServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ToolResultServiceFutureStub> {
    private ToolResultServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolResultServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolResultServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * Project turns one complete tool output into its canonical result and
     * receipt, and stores what neither of them shows.
     * An output of a case or a custom family that this server does not know is shown as
     * text, and its receipt says so; GetServerInfo lists those that it knows.
     * The receipt fits the budget of the policy as a whole. The same output,
     * policy and store give the same bytes on every call. Every artifact that the
     * answer names is durable when the answer is sent, unless the answer says
     * that the store is volatile.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, MESSAGE_INVALID): a mistake of
     *     the caller, never of the tool (docs/reference/errors.md); correct the field that BadRequest
     *     names; do not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): what must be kept (outcome, counts,
     *     handles) does not fit; raise the budget by the shortfall.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE): nothing was
     *     stored; an operator must act.
     *   FAILED_PRECONDITION (STORE_READ_ONLY): as above.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE): nothing was stored; end the
     *     lease of sessions that are over, or ask the operator for more.
     *   ABORTED (GC_RACE): make the same call again.
     *   PERMISSION_DENIED (FILE_NOT_ALLOWED), NOT_FOUND (FILE_NOT_FOUND): a payload names a
     *     file that the operator did not allow, or that is not there.
     *   ABORTED (FILE_CHANGED): a file changed while it was read; make the call again
     *     when nobody writes to it.
     *   INTERNAL (STORE_FAILED): the store failed; its log has the incident id.
     *   ALREADY_EXISTS (REQUEST_ID_REUSED): the request id was used for another request.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): register the values again, and make the call again.
     *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the audit log failed; the server must start again.
     *   FAILED_PRECONDITION (AUDIT_DISABLED): a request id needs an audit log, and none is kept.
     *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): retry after the RetryInfo; with a request id that is safe.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.ProjectResponse> project(
        io.github.toolresult.v1.ProjectRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getProjectMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Render makes the receipt of a canonical result, for example one that the
     * runtime kept, under another policy. It reads nothing but its request, so a
     * receipt can never show more than the canonical result does.
     * A preview is never cut here: when the receipt does not fit the budget the
     * call fails and Compact is the way to make it smaller.
     * Errors:
     *   INVALID_ARGUMENT (ENVELOPE_EXCLUSIVITY, FIELD_MISSING, FIELD_TOO_LONG,
     *     FIELD_OUT_OF_BOUNDS, NAME_INVALID, ENUM_UNKNOWN, JSON_INVALID,
     *     JSON_TOO_DEEP, JSON_DUPLICATE_KEY, ARTIFACT_INDEX_INVALID,
     *     LEDGER_INVALID, TEXT_NOT_SANITISED, FAMILY_UNKNOWN): the canonical
     *     result is not one that Project or Compact of this server answered; do
     *     not retry.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): raise the budget by the shortfall,
     *     or compact first.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): the call has no result
     *     on record; send the result itself.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.RenderResponse> render(
        io.github.toolresult.v1.RenderRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRenderMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ParseReceipt reads a receipt back: its outcome, facts and sections. Tool text cannot
     * change what it answers. A runtime has no need of it, it has the canonical result; it
     * serves tests, audits and people.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FAMILY_UNKNOWN): correct the field that BadRequest
     *     names.
     *   INVALID_ARGUMENT (RECEIPT_INVALID): the text is no receipt of this grammar.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.ParseReceiptResponse> parseReceipt(
        io.github.toolresult.v1.ParseReceiptRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getParseReceiptMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ProjectTurn is Project for the outputs of parallel calls that share one budget. An
     * output that needs less than an equal share leaves the rest to those that need
     * more, and a failure comes before the others. Where the budget has space for all of
     * them, the answers are those of Project, each under its own policy; where it has
     * not, each is that of Project with the tokens of its share. The order of the
     * outputs changes nothing but the order of the answers. For that the outputs of a
     * turn are not compared with each other (UnchangedPolicy), but with those of earlier
     * turns alone.
     * Errors: those of Project, for all outputs or none, with a field path that begins
     * with outputs[i], and
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_OUT_OF_BOUNDS): of the turn itself, or an
     *     output counts in another vocabulary than the first.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): of total_tokens, by the smallest receipts of
     *     all outputs together.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.ProjectTurnResponse> projectTurn(
        io.github.toolresult.v1.ProjectTurnRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getProjectTurnMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * Compact brings the canonical results of a history to fewer tokens, with every
     * outcome, identifier, handle, count and error kept: as far as a budget for all of
     * them makes it, or all of them to one level. It follows the retention of each field
     * and never looks at receipt text. Compacting again by the same policy changes
     * nothing, byte for byte; a smaller budget never shows more of a result; and no
     * level is ever undone. What was protected, or is before the cache boundary, stays as
     * it is, and so does a result that this version does not know or that is not as the
     * contract has it: no result stops the history that it is in. The answer has the
     * results that changed, and no others.
     * When what must be kept is over the budget the call succeeds, and the plan has the
     * shortfall.
     * A preview that has no artifact yet is stored before it is shortened, so
     * that everything omitted can still be read. A dry run stores nothing.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, FAMILY_UNKNOWN): a mistake of the caller in ids, subjects, turns or the
     *     policy; the field path begins with entries[i] or policy, or is session_id.
     *   INVALID_ARGUMENT (BUDGET_TOO_SMALL): the receipt of a result does not fit
     *     policy.render.budget; raise it by the shortfall.
     *   NOT_FOUND (RECORD_NOT_FOUND), FAILED_PRECONDITION (AUDIT_DISABLED): an entry without a
     *     result names a call that has none on record.
     *   RESOURCE_EXHAUSTED (DISK_FULL, FD_LIMIT, ARTIFACT_TOO_LARGE),
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): as for
     *     Project; no result was changed.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.CompactResponse> compact(
        io.github.toolresult.v1.CompactRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCompactMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * GetServerInfo says what this server is and what it accepts, so that a
     * client needs no constants of its own.
     * Errors: only those that every RPC may answer.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.GetServerInfoResponse> getServerInfo(
        io.github.toolresult.v1.GetServerInfoRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetServerInfoMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_PROJECT = 0;
  private static final int METHODID_RENDER = 1;
  private static final int METHODID_PARSE_RECEIPT = 2;
  private static final int METHODID_PROJECT_TURN = 3;
  private static final int METHODID_COMPACT = 4;
  private static final int METHODID_GET_SERVER_INFO = 5;
  private static final int METHODID_PROJECT_STREAM = 6;
  private static final int METHODID_PROJECT_SESSION = 7;
  private static final int METHODID_COMPACT_STREAM = 8;

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
        case METHODID_PROJECT:
          serviceImpl.project((io.github.toolresult.v1.ProjectRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectResponse>) responseObserver);
          break;
        case METHODID_RENDER:
          serviceImpl.render((io.github.toolresult.v1.RenderRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.RenderResponse>) responseObserver);
          break;
        case METHODID_PARSE_RECEIPT:
          serviceImpl.parseReceipt((io.github.toolresult.v1.ParseReceiptRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ParseReceiptResponse>) responseObserver);
          break;
        case METHODID_PROJECT_TURN:
          serviceImpl.projectTurn((io.github.toolresult.v1.ProjectTurnRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectTurnResponse>) responseObserver);
          break;
        case METHODID_COMPACT:
          serviceImpl.compact((io.github.toolresult.v1.CompactRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactResponse>) responseObserver);
          break;
        case METHODID_GET_SERVER_INFO:
          serviceImpl.getServerInfo((io.github.toolresult.v1.GetServerInfoRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetServerInfoResponse>) responseObserver);
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
        case METHODID_PROJECT_STREAM:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.projectStream(
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectStreamResponse>) responseObserver);
        case METHODID_PROJECT_SESSION:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.projectSession(
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ProjectSessionResponse>) responseObserver);
        case METHODID_COMPACT_STREAM:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.compactStream(
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.CompactStreamResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getProjectMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.ProjectRequest,
              io.github.toolresult.v1.ProjectResponse>(
                service, METHODID_PROJECT)))
        .addMethod(
          getProjectStreamMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.ProjectStreamRequest,
              io.github.toolresult.v1.ProjectStreamResponse>(
                service, METHODID_PROJECT_STREAM)))
        .addMethod(
          getProjectSessionMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.ProjectSessionRequest,
              io.github.toolresult.v1.ProjectSessionResponse>(
                service, METHODID_PROJECT_SESSION)))
        .addMethod(
          getRenderMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.RenderRequest,
              io.github.toolresult.v1.RenderResponse>(
                service, METHODID_RENDER)))
        .addMethod(
          getParseReceiptMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.ParseReceiptRequest,
              io.github.toolresult.v1.ParseReceiptResponse>(
                service, METHODID_PARSE_RECEIPT)))
        .addMethod(
          getProjectTurnMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.ProjectTurnRequest,
              io.github.toolresult.v1.ProjectTurnResponse>(
                service, METHODID_PROJECT_TURN)))
        .addMethod(
          getCompactMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.CompactRequest,
              io.github.toolresult.v1.CompactResponse>(
                service, METHODID_COMPACT)))
        .addMethod(
          getCompactStreamMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.CompactStreamRequest,
              io.github.toolresult.v1.CompactStreamResponse>(
                service, METHODID_COMPACT_STREAM)))
        .addMethod(
          getGetServerInfoMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.GetServerInfoRequest,
              io.github.toolresult.v1.GetServerInfoResponse>(
                service, METHODID_GET_SERVER_INFO)))
        .build();
  }

  private static abstract class ToolResultServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ToolResultServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.github.toolresult.v1.ServiceProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ToolResultService");
    }
  }

  private static final class ToolResultServiceFileDescriptorSupplier
      extends ToolResultServiceBaseDescriptorSupplier {
    ToolResultServiceFileDescriptorSupplier() {}
  }

  private static final class ToolResultServiceMethodDescriptorSupplier
      extends ToolResultServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ToolResultServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ToolResultServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ToolResultServiceFileDescriptorSupplier())
              .addMethod(getProjectMethod())
              .addMethod(getProjectStreamMethod())
              .addMethod(getProjectSessionMethod())
              .addMethod(getRenderMethod())
              .addMethod(getParseReceiptMethod())
              .addMethod(getProjectTurnMethod())
              .addMethod(getCompactMethod())
              .addMethod(getCompactStreamMethod())
              .addMethod(getGetServerInfoMethod())
              .build();
        }
      }
    }
    return result;
  }
}
