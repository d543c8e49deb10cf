package io.github.toolresult.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * ArtifactService reads back what receipts name. Everything that a receipt left
 * out can be had here, exactly as the tool wrote it.
 * Every RPC may also answer what ToolResultService lists for every RPC.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ArtifactServiceGrpc {

  private ArtifactServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolresult.v1.ArtifactService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ReadArtifactRequest,
      io.github.toolresult.v1.ReadArtifactResponse> getReadArtifactMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ReadArtifact",
      requestType = io.github.toolresult.v1.ReadArtifactRequest.class,
      responseType = io.github.toolresult.v1.ReadArtifactResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ReadArtifactRequest,
      io.github.toolresult.v1.ReadArtifactResponse> getReadArtifactMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ReadArtifactRequest, io.github.toolresult.v1.ReadArtifactResponse> getReadArtifactMethod;
    if ((getReadArtifactMethod = ArtifactServiceGrpc.getReadArtifactMethod) == null) {
      synchronized (ArtifactServiceGrpc.class) {
        if ((getReadArtifactMethod = ArtifactServiceGrpc.getReadArtifactMethod) == null) {
          ArtifactServiceGrpc.getReadArtifactMethod = getReadArtifactMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ReadArtifactRequest, io.github.toolresult.v1.ReadArtifactResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ReadArtifact"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ReadArtifactRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ReadArtifactResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ArtifactServiceMethodDescriptorSupplier("ReadArtifact"))
              .build();
        }
      }
    }
    return getReadArtifactMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ListArtifactsRequest,
      io.github.toolresult.v1.ListArtifactsResponse> getListArtifactsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListArtifacts",
      requestType = io.github.toolresult.v1.ListArtifactsRequest.class,
      responseType = io.github.toolresult.v1.ListArtifactsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ListArtifactsRequest,
      io.github.toolresult.v1.ListArtifactsResponse> getListArtifactsMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ListArtifactsRequest, io.github.toolresult.v1.ListArtifactsResponse> getListArtifactsMethod;
    if ((getListArtifactsMethod = ArtifactServiceGrpc.getListArtifactsMethod) == null) {
      synchronized (ArtifactServiceGrpc.class) {
        if ((getListArtifactsMethod = ArtifactServiceGrpc.getListArtifactsMethod) == null) {
          ArtifactServiceGrpc.getListArtifactsMethod = getListArtifactsMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ListArtifactsRequest, io.github.toolresult.v1.ListArtifactsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListArtifacts"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ListArtifactsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ListArtifactsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ArtifactServiceMethodDescriptorSupplier("ListArtifacts"))
              .build();
        }
      }
    }
    return getListArtifactsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.LeaseSessionRequest,
      io.github.toolresult.v1.LeaseSessionResponse> getLeaseSessionMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "LeaseSession",
      requestType = io.github.toolresult.v1.LeaseSessionRequest.class,
      responseType = io.github.toolresult.v1.LeaseSessionResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.LeaseSessionRequest,
      io.github.toolresult.v1.LeaseSessionResponse> getLeaseSessionMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.LeaseSessionRequest, io.github.toolresult.v1.LeaseSessionResponse> getLeaseSessionMethod;
    if ((getLeaseSessionMethod = ArtifactServiceGrpc.getLeaseSessionMethod) == null) {
      synchronized (ArtifactServiceGrpc.class) {
        if ((getLeaseSessionMethod = ArtifactServiceGrpc.getLeaseSessionMethod) == null) {
          ArtifactServiceGrpc.getLeaseSessionMethod = getLeaseSessionMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.LeaseSessionRequest, io.github.toolresult.v1.LeaseSessionResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "LeaseSession"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.LeaseSessionRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.LeaseSessionResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ArtifactServiceMethodDescriptorSupplier("LeaseSession"))
              .build();
        }
      }
    }
    return getLeaseSessionMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.AppendLogRequest,
      io.github.toolresult.v1.AppendLogResponse> getAppendLogMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "AppendLog",
      requestType = io.github.toolresult.v1.AppendLogRequest.class,
      responseType = io.github.toolresult.v1.AppendLogResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.AppendLogRequest,
      io.github.toolresult.v1.AppendLogResponse> getAppendLogMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.AppendLogRequest, io.github.toolresult.v1.AppendLogResponse> getAppendLogMethod;
    if ((getAppendLogMethod = ArtifactServiceGrpc.getAppendLogMethod) == null) {
      synchronized (ArtifactServiceGrpc.class) {
        if ((getAppendLogMethod = ArtifactServiceGrpc.getAppendLogMethod) == null) {
          ArtifactServiceGrpc.getAppendLogMethod = getAppendLogMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.AppendLogRequest, io.github.toolresult.v1.AppendLogResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.BIDI_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "AppendLog"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.AppendLogRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.AppendLogResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ArtifactServiceMethodDescriptorSupplier("AppendLog"))
              .build();
        }
      }
    }
    return getAppendLogMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyArtifactsRequest,
      io.github.toolresult.v1.VerifyArtifactsResponse> getVerifyArtifactsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "VerifyArtifacts",
      requestType = io.github.toolresult.v1.VerifyArtifactsRequest.class,
      responseType = io.github.toolresult.v1.VerifyArtifactsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyArtifactsRequest,
      io.github.toolresult.v1.VerifyArtifactsResponse> getVerifyArtifactsMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyArtifactsRequest, io.github.toolresult.v1.VerifyArtifactsResponse> getVerifyArtifactsMethod;
    if ((getVerifyArtifactsMethod = ArtifactServiceGrpc.getVerifyArtifactsMethod) == null) {
      synchronized (ArtifactServiceGrpc.class) {
        if ((getVerifyArtifactsMethod = ArtifactServiceGrpc.getVerifyArtifactsMethod) == null) {
          ArtifactServiceGrpc.getVerifyArtifactsMethod = getVerifyArtifactsMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.VerifyArtifactsRequest, io.github.toolresult.v1.VerifyArtifactsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "VerifyArtifacts"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.VerifyArtifactsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.VerifyArtifactsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ArtifactServiceMethodDescriptorSupplier("VerifyArtifacts"))
              .build();
        }
      }
    }
    return getVerifyArtifactsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.CollectGarbageRequest,
      io.github.toolresult.v1.CollectGarbageResponse> getCollectGarbageMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CollectGarbage",
      requestType = io.github.toolresult.v1.CollectGarbageRequest.class,
      responseType = io.github.toolresult.v1.CollectGarbageResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.CollectGarbageRequest,
      io.github.toolresult.v1.CollectGarbageResponse> getCollectGarbageMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.CollectGarbageRequest, io.github.toolresult.v1.CollectGarbageResponse> getCollectGarbageMethod;
    if ((getCollectGarbageMethod = ArtifactServiceGrpc.getCollectGarbageMethod) == null) {
      synchronized (ArtifactServiceGrpc.class) {
        if ((getCollectGarbageMethod = ArtifactServiceGrpc.getCollectGarbageMethod) == null) {
          ArtifactServiceGrpc.getCollectGarbageMethod = getCollectGarbageMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.CollectGarbageRequest, io.github.toolresult.v1.CollectGarbageResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CollectGarbage"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CollectGarbageRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CollectGarbageResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ArtifactServiceMethodDescriptorSupplier("CollectGarbage"))
              .build();
        }
      }
    }
    return getCollectGarbageMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ArtifactServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceStub>() {
        @java.lang.Override
        public ArtifactServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ArtifactServiceStub(channel, callOptions);
        }
      };
    return ArtifactServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ArtifactServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceBlockingV2Stub>() {
        @java.lang.Override
        public ArtifactServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ArtifactServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ArtifactServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ArtifactServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceBlockingStub>() {
        @java.lang.Override
        public ArtifactServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ArtifactServiceBlockingStub(channel, callOptions);
        }
      };
    return ArtifactServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ArtifactServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ArtifactServiceFutureStub>() {
        @java.lang.Override
        public ArtifactServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ArtifactServiceFutureStub(channel, callOptions);
        }
      };
    return ArtifactServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * ArtifactService reads back what receipts name. Everything that a receipt left
   * out can be had here, exactly as the tool wrote it.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * ReadArtifact reads a part of an artifact: lines, bytes, the end, what
     * surrounds a line, or lines that match. An answer fits the budget of the
     * request, says whether it is all that was selected, and otherwise has a page token:
     * the same request with it reads on. Pages one after the other are the
     * selection, byte for byte, also inside of a line that is larger than a page.
     * Nothing of the artifact before the place that is read is looked at, but for
     * matches and JSON pointers. What was read back is never projected again.
     * The path of a log that is still written (AppendLog) can be read too. Its answers
     * always have a page token: the same request with it returns what is new since then.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     PATTERN_INVALID, POINTER_INVALID, PAGE_TOKEN_INVALID): correct the field that
     *     BadRequest names; do not retry.
     *   INVALID_ARGUMENT (JSON_INVALID): the artifact is not JSON, so that a pointer
     *     leads nowhere; read it by lines.
     *   NOT_FOUND (ARTIFACT_NOT_FOUND): the store never had it.
     *   FAILED_PRECONDITION (ARTIFACT_EXPIRED): it was deleted; the metadata says when
     *     and why.
     *   PERMISSION_DENIED (PATH_OUTSIDE_STORE): the path is not in the store of this
     *     server.
     *   PERMISSION_DENIED (RAW_NOT_ALLOWED): the caller may not read redacted values.
     *   OUT_OF_RANGE (RANGE_NOT_SATISFIABLE): the artifact is there, and has no such line, byte
     *     or value; the metadata has its size.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): what is stored is not what was
     *     put, or is gone. What was found stays in place as evidence.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): retry after the RetryInfo.
     * </pre>
     */
    default void readArtifact(io.github.toolresult.v1.ReadArtifactRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ReadArtifactResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getReadArtifactMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListArtifacts lists the artifacts of a session, or of one call of it, the
     * newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_OUT_OF_BOUNDS, PAGE_TOKEN_INVALID): correct
     *     the field that BadRequest names.
     * </pre>
     */
    default void listArtifacts(io.github.toolresult.v1.ListArtifactsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ListArtifactsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListArtifactsMethod(), responseObserver);
    }

    /**
     * <pre>
     * LeaseSession says until when the artifacts of a session are needed. Whatever a
     * session with a lease names is never deleted. Every call that stores or reads an
     * artifact of a session gives it the default lease (setting session_lease) if that is
     * longer than the one that it has; this call sets it to any other, or ends it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     * </pre>
     */
    default void leaseSession(io.github.toolresult.v1.LeaseSessionRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.LeaseSessionResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getLeaseSessionMethod(), responseObserver);
    }

    /**
     * <pre>
     * AppendLog writes a log that grows for a long time, such as that of a background
     * task, and answers how far it is durable: after each sync, which comes by itself
     * (setting log_sync), and when it is asked for. The first answer has the path,
     * under which the log can be read while it grows, and from where on to send. A call
     * that ends without a finish leaves the log as it is; a later one goes on with it.
     * The finish makes an artifact of the log, and its path leads to that from then on.
     * What RegisterSecrets registered and what looks like a secret is masked in the log: by as
     * many bytes as it has, so that positions stay. What may be the beginning of one is kept
     * back until more comes; durable_bytes does not count it. When nothing comes it is appended
     * after a second if it is hardly more than the end of a word or a prompt, after ten seconds
     * if it is the beginning of what looks like a secret, and with the end of the call if it is
     * that of a registered value: masked from eight bytes or half of the value on. Its rest
     * is masked then, also in a later call.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, STREAM_ORDER): correct
     *     it; do not retry.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): the server does not have the values of
     *     require_set; register them again.
     *   FAILED_PRECONDITION (LOG_OFFSET_MISMATCH): the log has another length than at_byte;
     *     send from where the metadata says.
     *   FAILED_PRECONDITION (LOG_FINISHED): the log is an artifact already.
     *   ABORTED (LOG_BUSY): another call appends to it.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE, DISK_FULL, FD_LIMIT,
     *     ARTIFACT_TOO_LARGE): what was answered as durable stays.
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): an operator must
     *     act.
     * </pre>
     */
    default io.grpc.stub.StreamObserver<io.github.toolresult.v1.AppendLogRequest> appendLog(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.AppendLogResponse> responseObserver) {
      return io.grpc.stub.ServerCalls.asyncUnimplementedStreamingCall(getAppendLogMethod(), responseObserver);
    }

    /**
     * <pre>
     * VerifyArtifacts reads artifacts and compares them with their digests. It answers
     * one message for each that is corrupt, and at last one with the counts.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS): correct the field that
     *     BadRequest names.
     * </pre>
     */
    default void verifyArtifacts(io.github.toolresult.v1.VerifyArtifactsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyArtifactsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getVerifyArtifactsMethod(), responseObserver);
    }

    /**
     * <pre>
     * CollectGarbage deletes what the rules of retention allow, and reports what it
     * deleted. The server does so by itself too (setting gc_interval).
     * Errors:
     *   INTERNAL (STORE_FAILED): what was deleted until then is deleted.
     * </pre>
     */
    default void collectGarbage(io.github.toolresult.v1.CollectGarbageRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CollectGarbageResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCollectGarbageMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ArtifactService.
   * <pre>
   * ArtifactService reads back what receipts name. Everything that a receipt left
   * out can be had here, exactly as the tool wrote it.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static abstract class ArtifactServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ArtifactServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ArtifactService.
   * <pre>
   * ArtifactService reads back what receipts name. Everything that a receipt left
   * out can be had here, exactly as the tool wrote it.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ArtifactServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ArtifactServiceStub> {
    private ArtifactServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ArtifactServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ArtifactServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * ReadArtifact reads a part of an artifact: lines, bytes, the end, what
     * surrounds a line, or lines that match. An answer fits the budget of the
     * request, says whether it is all that was selected, and otherwise has a page token:
     * the same request with it reads on. Pages one after the other are the
     * selection, byte for byte, also inside of a line that is larger than a page.
     * Nothing of the artifact before the place that is read is looked at, but for
     * matches and JSON pointers. What was read back is never projected again.
     * The path of a log that is still written (AppendLog) can be read too. Its answers
     * always have a page token: the same request with it returns what is new since then.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     PATTERN_INVALID, POINTER_INVALID, PAGE_TOKEN_INVALID): correct the field that
     *     BadRequest names; do not retry.
     *   INVALID_ARGUMENT (JSON_INVALID): the artifact is not JSON, so that a pointer
     *     leads nowhere; read it by lines.
     *   NOT_FOUND (ARTIFACT_NOT_FOUND): the store never had it.
     *   FAILED_PRECONDITION (ARTIFACT_EXPIRED): it was deleted; the metadata says when
     *     and why.
     *   PERMISSION_DENIED (PATH_OUTSIDE_STORE): the path is not in the store of this
     *     server.
     *   PERMISSION_DENIED (RAW_NOT_ALLOWED): the caller may not read redacted values.
     *   OUT_OF_RANGE (RANGE_NOT_SATISFIABLE): the artifact is there, and has no such line, byte
     *     or value; the metadata has its size.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): what is stored is not what was
     *     put, or is gone. What was found stays in place as evidence.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): retry after the RetryInfo.
     * </pre>
     */
    public void readArtifact(io.github.toolresult.v1.ReadArtifactRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ReadArtifactResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getReadArtifactMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListArtifacts lists the artifacts of a session, or of one call of it, the
     * newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_OUT_OF_BOUNDS, PAGE_TOKEN_INVALID): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public void listArtifacts(io.github.toolresult.v1.ListArtifactsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ListArtifactsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListArtifactsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * LeaseSession says until when the artifacts of a session are needed. Whatever a
     * session with a lease names is never deleted. Every call that stores or reads an
     * artifact of a session gives it the default lease (setting session_lease) if that is
     * longer than the one that it has; this call sets it to any other, or ends it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public void leaseSession(io.github.toolresult.v1.LeaseSessionRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.LeaseSessionResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getLeaseSessionMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * AppendLog writes a log that grows for a long time, such as that of a background
     * task, and answers how far it is durable: after each sync, which comes by itself
     * (setting log_sync), and when it is asked for. The first answer has the path,
     * under which the log can be read while it grows, and from where on to send. A call
     * that ends without a finish leaves the log as it is; a later one goes on with it.
     * The finish makes an artifact of the log, and its path leads to that from then on.
     * What RegisterSecrets registered and what looks like a secret is masked in the log: by as
     * many bytes as it has, so that positions stay. What may be the beginning of one is kept
     * back until more comes; durable_bytes does not count it. When nothing comes it is appended
     * after a second if it is hardly more than the end of a word or a prompt, after ten seconds
     * if it is the beginning of what looks like a secret, and with the end of the call if it is
     * that of a registered value: masked from eight bytes or half of the value on. Its rest
     * is masked then, also in a later call.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, STREAM_ORDER): correct
     *     it; do not retry.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): the server does not have the values of
     *     require_set; register them again.
     *   FAILED_PRECONDITION (LOG_OFFSET_MISMATCH): the log has another length than at_byte;
     *     send from where the metadata says.
     *   FAILED_PRECONDITION (LOG_FINISHED): the log is an artifact already.
     *   ABORTED (LOG_BUSY): another call appends to it.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE, DISK_FULL, FD_LIMIT,
     *     ARTIFACT_TOO_LARGE): what was answered as durable stays.
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): an operator must
     *     act.
     * </pre>
     */
    public io.grpc.stub.StreamObserver<io.github.toolresult.v1.AppendLogRequest> appendLog(
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.AppendLogResponse> responseObserver) {
      return io.grpc.stub.ClientCalls.asyncBidiStreamingCall(
          getChannel().newCall(getAppendLogMethod(), getCallOptions()), responseObserver);
    }

    /**
     * <pre>
     * VerifyArtifacts reads artifacts and compares them with their digests. It answers
     * one message for each that is corrupt, and at last one with the counts.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS): correct the field that
     *     BadRequest names.
     * </pre>
     */
    public void verifyArtifacts(io.github.toolresult.v1.VerifyArtifactsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyArtifactsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getVerifyArtifactsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CollectGarbage deletes what the rules of retention allow, and reports what it
     * deleted. The server does so by itself too (setting gc_interval).
     * Errors:
     *   INTERNAL (STORE_FAILED): what was deleted until then is deleted.
     * </pre>
     */
    public void collectGarbage(io.github.toolresult.v1.CollectGarbageRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CollectGarbageResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCollectGarbageMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ArtifactService.
   * <pre>
   * ArtifactService reads back what receipts name. Everything that a receipt left
   * out can be had here, exactly as the tool wrote it.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ArtifactServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ArtifactServiceBlockingV2Stub> {
    private ArtifactServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ArtifactServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ArtifactServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * ReadArtifact reads a part of an artifact: lines, bytes, the end, what
     * surrounds a line, or lines that match. An answer fits the budget of the
     * request, says whether it is all that was selected, and otherwise has a page token:
     * the same request with it reads on. Pages one after the other are the
     * selection, byte for byte, also inside of a line that is larger than a page.
     * Nothing of the artifact before the place that is read is looked at, but for
     * matches and JSON pointers. What was read back is never projected again.
     * The path of a log that is still written (AppendLog) can be read too. Its answers
     * always have a page token: the same request with it returns what is new since then.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     PATTERN_INVALID, POINTER_INVALID, PAGE_TOKEN_INVALID): correct the field that
     *     BadRequest names; do not retry.
     *   INVALID_ARGUMENT (JSON_INVALID): the artifact is not JSON, so that a pointer
     *     leads nowhere; read it by lines.
     *   NOT_FOUND (ARTIFACT_NOT_FOUND): the store never had it.
     *   FAILED_PRECONDITION (ARTIFACT_EXPIRED): it was deleted; the metadata says when
     *     and why.
     *   PERMISSION_DENIED (PATH_OUTSIDE_STORE): the path is not in the store of this
     *     server.
     *   PERMISSION_DENIED (RAW_NOT_ALLOWED): the caller may not read redacted values.
     *   OUT_OF_RANGE (RANGE_NOT_SATISFIABLE): the artifact is there, and has no such line, byte
     *     or value; the metadata has its size.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): what is stored is not what was
     *     put, or is gone. What was found stays in place as evidence.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): retry after the RetryInfo.
     * </pre>
     */
    public io.github.toolresult.v1.ReadArtifactResponse readArtifact(io.github.toolresult.v1.ReadArtifactRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getReadArtifactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListArtifacts lists the artifacts of a session, or of one call of it, the
     * newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_OUT_OF_BOUNDS, PAGE_TOKEN_INVALID): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public io.github.toolresult.v1.ListArtifactsResponse listArtifacts(io.github.toolresult.v1.ListArtifactsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListArtifactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * LeaseSession says until when the artifacts of a session are needed. Whatever a
     * session with a lease names is never deleted. Every call that stores or reads an
     * artifact of a session gives it the default lease (setting session_lease) if that is
     * longer than the one that it has; this call sets it to any other, or ends it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public io.github.toolresult.v1.LeaseSessionResponse leaseSession(io.github.toolresult.v1.LeaseSessionRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getLeaseSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * AppendLog writes a log that grows for a long time, such as that of a background
     * task, and answers how far it is durable: after each sync, which comes by itself
     * (setting log_sync), and when it is asked for. The first answer has the path,
     * under which the log can be read while it grows, and from where on to send. A call
     * that ends without a finish leaves the log as it is; a later one goes on with it.
     * The finish makes an artifact of the log, and its path leads to that from then on.
     * What RegisterSecrets registered and what looks like a secret is masked in the log: by as
     * many bytes as it has, so that positions stay. What may be the beginning of one is kept
     * back until more comes; durable_bytes does not count it. When nothing comes it is appended
     * after a second if it is hardly more than the end of a word or a prompt, after ten seconds
     * if it is the beginning of what looks like a secret, and with the end of the call if it is
     * that of a registered value: masked from eight bytes or half of the value on. Its rest
     * is masked then, also in a later call.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, STREAM_ORDER): correct
     *     it; do not retry.
     *   FAILED_PRECONDITION (SECRETS_UNKNOWN): the server does not have the values of
     *     require_set; register them again.
     *   FAILED_PRECONDITION (LOG_OFFSET_MISMATCH): the log has another length than at_byte;
     *     send from where the metadata says.
     *   FAILED_PRECONDITION (LOG_FINISHED): the log is an artifact already.
     *   ABORTED (LOG_BUSY): another call appends to it.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION, QUOTA_STORE, DISK_FULL, FD_LIMIT,
     *     ARTIFACT_TOO_LARGE): what was answered as durable stays.
     *   FAILED_PRECONDITION (STORE_READ_ONLY), INTERNAL (STORE_FAILED): an operator must
     *     act.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<io.github.toolresult.v1.AppendLogRequest, io.github.toolresult.v1.AppendLogResponse>
        appendLog() {
      return io.grpc.stub.ClientCalls.blockingBidiStreamingCall(
          getChannel(), getAppendLogMethod(), getCallOptions());
    }

    /**
     * <pre>
     * VerifyArtifacts reads artifacts and compares them with their digests. It answers
     * one message for each that is corrupt, and at last one with the counts.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS): correct the field that
     *     BadRequest names.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, io.github.toolresult.v1.VerifyArtifactsResponse>
        verifyArtifacts(io.github.toolresult.v1.VerifyArtifactsRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getVerifyArtifactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CollectGarbage deletes what the rules of retention allow, and reports what it
     * deleted. The server does so by itself too (setting gc_interval).
     * Errors:
     *   INTERNAL (STORE_FAILED): what was deleted until then is deleted.
     * </pre>
     */
    public io.github.toolresult.v1.CollectGarbageResponse collectGarbage(io.github.toolresult.v1.CollectGarbageRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCollectGarbageMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ArtifactService.
   * <pre>
   * ArtifactService reads back what receipts name. Everything that a receipt left
   * out can be had here, exactly as the tool wrote it.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ArtifactServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ArtifactServiceBlockingStub> {
    private ArtifactServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ArtifactServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ArtifactServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * ReadArtifact reads a part of an artifact: lines, bytes, the end, what
     * surrounds a line, or lines that match. An answer fits the budget of the
     * request, says whether it is all that was selected, and otherwise has a page token:
     * the same request with it reads on. Pages one after the other are the
     * selection, byte for byte, also inside of a line that is larger than a page.
     * Nothing of the artifact before the place that is read is looked at, but for
     * matches and JSON pointers. What was read back is never projected again.
     * The path of a log that is still written (AppendLog) can be read too. Its answers
     * always have a page token: the same request with it returns what is new since then.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     PATTERN_INVALID, POINTER_INVALID, PAGE_TOKEN_INVALID): correct the field that
     *     BadRequest names; do not retry.
     *   INVALID_ARGUMENT (JSON_INVALID): the artifact is not JSON, so that a pointer
     *     leads nowhere; read it by lines.
     *   NOT_FOUND (ARTIFACT_NOT_FOUND): the store never had it.
     *   FAILED_PRECONDITION (ARTIFACT_EXPIRED): it was deleted; the metadata says when
     *     and why.
     *   PERMISSION_DENIED (PATH_OUTSIDE_STORE): the path is not in the store of this
     *     server.
     *   PERMISSION_DENIED (RAW_NOT_ALLOWED): the caller may not read redacted values.
     *   OUT_OF_RANGE (RANGE_NOT_SATISFIABLE): the artifact is there, and has no such line, byte
     *     or value; the metadata has its size.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): what is stored is not what was
     *     put, or is gone. What was found stays in place as evidence.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): retry after the RetryInfo.
     * </pre>
     */
    public io.github.toolresult.v1.ReadArtifactResponse readArtifact(io.github.toolresult.v1.ReadArtifactRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getReadArtifactMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListArtifacts lists the artifacts of a session, or of one call of it, the
     * newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_OUT_OF_BOUNDS, PAGE_TOKEN_INVALID): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public io.github.toolresult.v1.ListArtifactsResponse listArtifacts(io.github.toolresult.v1.ListArtifactsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListArtifactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * LeaseSession says until when the artifacts of a session are needed. Whatever a
     * session with a lease names is never deleted. Every call that stores or reads an
     * artifact of a session gives it the default lease (setting session_lease) if that is
     * longer than the one that it has; this call sets it to any other, or ends it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public io.github.toolresult.v1.LeaseSessionResponse leaseSession(io.github.toolresult.v1.LeaseSessionRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getLeaseSessionMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * VerifyArtifacts reads artifacts and compares them with their digests. It answers
     * one message for each that is corrupt, and at last one with the counts.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS): correct the field that
     *     BadRequest names.
     * </pre>
     */
    public java.util.Iterator<io.github.toolresult.v1.VerifyArtifactsResponse> verifyArtifacts(
        io.github.toolresult.v1.VerifyArtifactsRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getVerifyArtifactsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CollectGarbage deletes what the rules of retention allow, and reports what it
     * deleted. The server does so by itself too (setting gc_interval).
     * Errors:
     *   INTERNAL (STORE_FAILED): what was deleted until then is deleted.
     * </pre>
     */
    public io.github.toolresult.v1.CollectGarbageResponse collectGarbage(io.github.toolresult.v1.CollectGarbageRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCollectGarbageMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ArtifactService.
   * <pre>
   * ArtifactService reads back what receipts name. Everything that a receipt left
   * out can be had here, exactly as the tool wrote it.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ArtifactServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ArtifactServiceFutureStub> {
    private ArtifactServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ArtifactServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ArtifactServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * ReadArtifact reads a part of an artifact: lines, bytes, the end, what
     * surrounds a line, or lines that match. An answer fits the budget of the
     * request, says whether it is all that was selected, and otherwise has a page token:
     * the same request with it reads on. Pages one after the other are the
     * selection, byte for byte, also inside of a line that is larger than a page.
     * Nothing of the artifact before the place that is read is looked at, but for
     * matches and JSON pointers. What was read back is never projected again.
     * The path of a log that is still written (AppendLog) can be read too. Its answers
     * always have a page token: the same request with it returns what is new since then.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     PATTERN_INVALID, POINTER_INVALID, PAGE_TOKEN_INVALID): correct the field that
     *     BadRequest names; do not retry.
     *   INVALID_ARGUMENT (JSON_INVALID): the artifact is not JSON, so that a pointer
     *     leads nowhere; read it by lines.
     *   NOT_FOUND (ARTIFACT_NOT_FOUND): the store never had it.
     *   FAILED_PRECONDITION (ARTIFACT_EXPIRED): it was deleted; the metadata says when
     *     and why.
     *   PERMISSION_DENIED (PATH_OUTSIDE_STORE): the path is not in the store of this
     *     server.
     *   PERMISSION_DENIED (RAW_NOT_ALLOWED): the caller may not read redacted values.
     *   OUT_OF_RANGE (RANGE_NOT_SATISFIABLE): the artifact is there, and has no such line, byte
     *     or value; the metadata has its size.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): what is stored is not what was
     *     put, or is gone. What was found stays in place as evidence.
     *   UNAVAILABLE (OBJECT_STORE_UNAVAILABLE): retry after the RetryInfo.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.ReadArtifactResponse> readArtifact(
        io.github.toolresult.v1.ReadArtifactRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getReadArtifactMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListArtifacts lists the artifacts of a session, or of one call of it, the
     * newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_OUT_OF_BOUNDS, PAGE_TOKEN_INVALID): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.ListArtifactsResponse> listArtifacts(
        io.github.toolresult.v1.ListArtifactsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListArtifactsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * LeaseSession says until when the artifacts of a session are needed. Whatever a
     * session with a lease names is never deleted. Every call that stores or reads an
     * artifact of a session gives it the default lease (setting session_lease) if that is
     * longer than the one that it has; this call sets it to any other, or ends it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.LeaseSessionResponse> leaseSession(
        io.github.toolresult.v1.LeaseSessionRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getLeaseSessionMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * CollectGarbage deletes what the rules of retention allow, and reports what it
     * deleted. The server does so by itself too (setting gc_interval).
     * Errors:
     *   INTERNAL (STORE_FAILED): what was deleted until then is deleted.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.CollectGarbageResponse> collectGarbage(
        io.github.toolresult.v1.CollectGarbageRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCollectGarbageMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_READ_ARTIFACT = 0;
  private static final int METHODID_LIST_ARTIFACTS = 1;
  private static final int METHODID_LEASE_SESSION = 2;
  private static final int METHODID_VERIFY_ARTIFACTS = 3;
  private static final int METHODID_COLLECT_GARBAGE = 4;
  private static final int METHODID_APPEND_LOG = 5;

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
        case METHODID_READ_ARTIFACT:
          serviceImpl.readArtifact((io.github.toolresult.v1.ReadArtifactRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ReadArtifactResponse>) responseObserver);
          break;
        case METHODID_LIST_ARTIFACTS:
          serviceImpl.listArtifacts((io.github.toolresult.v1.ListArtifactsRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ListArtifactsResponse>) responseObserver);
          break;
        case METHODID_LEASE_SESSION:
          serviceImpl.leaseSession((io.github.toolresult.v1.LeaseSessionRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.LeaseSessionResponse>) responseObserver);
          break;
        case METHODID_VERIFY_ARTIFACTS:
          serviceImpl.verifyArtifacts((io.github.toolresult.v1.VerifyArtifactsRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyArtifactsResponse>) responseObserver);
          break;
        case METHODID_COLLECT_GARBAGE:
          serviceImpl.collectGarbage((io.github.toolresult.v1.CollectGarbageRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.CollectGarbageResponse>) responseObserver);
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
        case METHODID_APPEND_LOG:
          return (io.grpc.stub.StreamObserver<Req>) serviceImpl.appendLog(
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.AppendLogResponse>) responseObserver);
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getReadArtifactMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.ReadArtifactRequest,
              io.github.toolresult.v1.ReadArtifactResponse>(
                service, METHODID_READ_ARTIFACT)))
        .addMethod(
          getListArtifactsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.ListArtifactsRequest,
              io.github.toolresult.v1.ListArtifactsResponse>(
                service, METHODID_LIST_ARTIFACTS)))
        .addMethod(
          getLeaseSessionMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.LeaseSessionRequest,
              io.github.toolresult.v1.LeaseSessionResponse>(
                service, METHODID_LEASE_SESSION)))
        .addMethod(
          getAppendLogMethod(),
          io.grpc.stub.ServerCalls.asyncBidiStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.AppendLogRequest,
              io.github.toolresult.v1.AppendLogResponse>(
                service, METHODID_APPEND_LOG)))
        .addMethod(
          getVerifyArtifactsMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.VerifyArtifactsRequest,
              io.github.toolresult.v1.VerifyArtifactsResponse>(
                service, METHODID_VERIFY_ARTIFACTS)))
        .addMethod(
          getCollectGarbageMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.CollectGarbageRequest,
              io.github.toolresult.v1.CollectGarbageResponse>(
                service, METHODID_COLLECT_GARBAGE)))
        .build();
  }

  private static abstract class ArtifactServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ArtifactServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.github.toolresult.v1.ArtifactProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ArtifactService");
    }
  }

  private static final class ArtifactServiceFileDescriptorSupplier
      extends ArtifactServiceBaseDescriptorSupplier {
    ArtifactServiceFileDescriptorSupplier() {}
  }

  private static final class ArtifactServiceMethodDescriptorSupplier
      extends ArtifactServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ArtifactServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ArtifactServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ArtifactServiceFileDescriptorSupplier())
              .addMethod(getReadArtifactMethod())
              .addMethod(getListArtifactsMethod())
              .addMethod(getLeaseSessionMethod())
              .addMethod(getAppendLogMethod())
              .addMethod(getVerifyArtifactsMethod())
              .addMethod(getCollectGarbageMethod())
              .build();
        }
      }
    }
    return result;
  }
}
