package io.github.toolresult.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * AuditService answers what the model saw, and proves it. Every answered call that makes
 * something for a model leaves one record, which is durable before the answer is sent;
 * every rejected call leaves a short one without payload. Records are chained: each has
 * the hash of the one before, so that none can be altered, removed or put between
 * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
 * the hash of its record, which is the head of the chain; who keeps it can prove
 * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
 * Contract".
 * Every RPC may also answer what ToolResultService lists for every RPC, and
 *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
 *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
 *     server starts again.
 *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
 *     the RetryInfo.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class AuditServiceGrpc {

  private AuditServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolresult.v1.AuditService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.GetRecordRequest,
      io.github.toolresult.v1.GetRecordResponse> getGetRecordMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetRecord",
      requestType = io.github.toolresult.v1.GetRecordRequest.class,
      responseType = io.github.toolresult.v1.GetRecordResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.GetRecordRequest,
      io.github.toolresult.v1.GetRecordResponse> getGetRecordMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.GetRecordRequest, io.github.toolresult.v1.GetRecordResponse> getGetRecordMethod;
    if ((getGetRecordMethod = AuditServiceGrpc.getGetRecordMethod) == null) {
      synchronized (AuditServiceGrpc.class) {
        if ((getGetRecordMethod = AuditServiceGrpc.getGetRecordMethod) == null) {
          AuditServiceGrpc.getGetRecordMethod = getGetRecordMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.GetRecordRequest, io.github.toolresult.v1.GetRecordResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetRecord"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.GetRecordRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.GetRecordResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AuditServiceMethodDescriptorSupplier("GetRecord"))
              .build();
        }
      }
    }
    return getGetRecordMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.ListRecordsRequest,
      io.github.toolresult.v1.ListRecordsResponse> getListRecordsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "ListRecords",
      requestType = io.github.toolresult.v1.ListRecordsRequest.class,
      responseType = io.github.toolresult.v1.ListRecordsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.ListRecordsRequest,
      io.github.toolresult.v1.ListRecordsResponse> getListRecordsMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.ListRecordsRequest, io.github.toolresult.v1.ListRecordsResponse> getListRecordsMethod;
    if ((getListRecordsMethod = AuditServiceGrpc.getListRecordsMethod) == null) {
      synchronized (AuditServiceGrpc.class) {
        if ((getListRecordsMethod = AuditServiceGrpc.getListRecordsMethod) == null) {
          AuditServiceGrpc.getListRecordsMethod = getListRecordsMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.ListRecordsRequest, io.github.toolresult.v1.ListRecordsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "ListRecords"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ListRecordsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.ListRecordsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AuditServiceMethodDescriptorSupplier("ListRecords"))
              .build();
        }
      }
    }
    return getListRecordsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyRecordRequest,
      io.github.toolresult.v1.VerifyRecordResponse> getVerifyRecordMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "VerifyRecord",
      requestType = io.github.toolresult.v1.VerifyRecordRequest.class,
      responseType = io.github.toolresult.v1.VerifyRecordResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyRecordRequest,
      io.github.toolresult.v1.VerifyRecordResponse> getVerifyRecordMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyRecordRequest, io.github.toolresult.v1.VerifyRecordResponse> getVerifyRecordMethod;
    if ((getVerifyRecordMethod = AuditServiceGrpc.getVerifyRecordMethod) == null) {
      synchronized (AuditServiceGrpc.class) {
        if ((getVerifyRecordMethod = AuditServiceGrpc.getVerifyRecordMethod) == null) {
          AuditServiceGrpc.getVerifyRecordMethod = getVerifyRecordMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.VerifyRecordRequest, io.github.toolresult.v1.VerifyRecordResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "VerifyRecord"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.VerifyRecordRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.VerifyRecordResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AuditServiceMethodDescriptorSupplier("VerifyRecord"))
              .build();
        }
      }
    }
    return getVerifyRecordMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyLogRequest,
      io.github.toolresult.v1.VerifyLogResponse> getVerifyLogMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "VerifyLog",
      requestType = io.github.toolresult.v1.VerifyLogRequest.class,
      responseType = io.github.toolresult.v1.VerifyLogResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyLogRequest,
      io.github.toolresult.v1.VerifyLogResponse> getVerifyLogMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.VerifyLogRequest, io.github.toolresult.v1.VerifyLogResponse> getVerifyLogMethod;
    if ((getVerifyLogMethod = AuditServiceGrpc.getVerifyLogMethod) == null) {
      synchronized (AuditServiceGrpc.class) {
        if ((getVerifyLogMethod = AuditServiceGrpc.getVerifyLogMethod) == null) {
          AuditServiceGrpc.getVerifyLogMethod = getVerifyLogMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.VerifyLogRequest, io.github.toolresult.v1.VerifyLogResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.SERVER_STREAMING)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "VerifyLog"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.VerifyLogRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.VerifyLogResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AuditServiceMethodDescriptorSupplier("VerifyLog"))
              .build();
        }
      }
    }
    return getVerifyLogMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static AuditServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AuditServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AuditServiceStub>() {
        @java.lang.Override
        public AuditServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AuditServiceStub(channel, callOptions);
        }
      };
    return AuditServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static AuditServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AuditServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AuditServiceBlockingV2Stub>() {
        @java.lang.Override
        public AuditServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AuditServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return AuditServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static AuditServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AuditServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AuditServiceBlockingStub>() {
        @java.lang.Override
        public AuditServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AuditServiceBlockingStub(channel, callOptions);
        }
      };
    return AuditServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static AuditServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AuditServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AuditServiceFutureStub>() {
        @java.lang.Override
        public AuditServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AuditServiceFutureStub(channel, callOptions);
        }
      };
    return AuditServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * AuditService answers what the model saw, and proves it. Every answered call that makes
   * something for a model leaves one record, which is durable before the answer is sent;
   * every rejected call leaves a short one without payload. Records are chained: each has
   * the hash of the one before, so that none can be altered, removed or put between
   * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
   * the hash of its record, which is the head of the chain; who keeps it can prove
   * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
   * Contract".
   * Every RPC may also answer what ToolResultService lists for every RPC, and
   *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
   *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
   *     server starts again.
   *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
   *     the RetryInfo.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * GetRecord reads one record.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING): correct the field that BadRequest names.
     *   NOT_FOUND (RECORD_NOT_FOUND): there is none, or it is of another session than the caller may see.
     *   DATA_LOSS (AUDIT_CHAIN_BROKEN): the record cannot be read.
     * </pre>
     */
    default void getRecord(io.github.toolresult.v1.GetRecordRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetRecordResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetRecordMethod(), responseObserver);
    }

    /**
     * <pre>
     * ListRecords lists records, the newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN,
     *     PAGE_TOKEN_INVALID): correct the field that BadRequest names.
     * </pre>
     */
    default void listRecords(io.github.toolresult.v1.ListRecordsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ListRecordsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getListRecordsMethod(), responseObserver);
    }

    /**
     * <pre>
     * VerifyRecord makes the canonical result and the receipt of a record again, from the
     * complete output that was stored, and compares them byte for byte with those that were
     * answered. What cannot be compared, because it was deleted or because this program
     * has another version of what made it, is said to be so, and why. The original of what
     * was redacted is not compared: the values that were registered are not kept.
     * Errors: those of GetRecord.
     * </pre>
     */
    default void verifyRecord(io.github.toolresult.v1.VerifyRecordRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyRecordResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getVerifyRecordMethod(), responseObserver);
    }

    /**
     * <pre>
     * VerifyLog follows the chain from its first record to its last, and answers one
     * message for each record that does not hold, and at last one with the counts and the
     * head.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): correct the field that BadRequest names.
     * </pre>
     */
    default void verifyLog(io.github.toolresult.v1.VerifyLogRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyLogResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getVerifyLogMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service AuditService.
   * <pre>
   * AuditService answers what the model saw, and proves it. Every answered call that makes
   * something for a model leaves one record, which is durable before the answer is sent;
   * every rejected call leaves a short one without payload. Records are chained: each has
   * the hash of the one before, so that none can be altered, removed or put between
   * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
   * the hash of its record, which is the head of the chain; who keeps it can prove
   * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
   * Contract".
   * Every RPC may also answer what ToolResultService lists for every RPC, and
   *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
   *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
   *     server starts again.
   *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
   *     the RetryInfo.
   * </pre>
   */
  public static abstract class AuditServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return AuditServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service AuditService.
   * <pre>
   * AuditService answers what the model saw, and proves it. Every answered call that makes
   * something for a model leaves one record, which is durable before the answer is sent;
   * every rejected call leaves a short one without payload. Records are chained: each has
   * the hash of the one before, so that none can be altered, removed or put between
   * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
   * the hash of its record, which is the head of the chain; who keeps it can prove
   * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
   * Contract".
   * Every RPC may also answer what ToolResultService lists for every RPC, and
   *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
   *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
   *     server starts again.
   *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
   *     the RetryInfo.
   * </pre>
   */
  public static final class AuditServiceStub
      extends io.grpc.stub.AbstractAsyncStub<AuditServiceStub> {
    private AuditServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AuditServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AuditServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * GetRecord reads one record.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING): correct the field that BadRequest names.
     *   NOT_FOUND (RECORD_NOT_FOUND): there is none, or it is of another session than the caller may see.
     *   DATA_LOSS (AUDIT_CHAIN_BROKEN): the record cannot be read.
     * </pre>
     */
    public void getRecord(io.github.toolresult.v1.GetRecordRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetRecordResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetRecordMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * ListRecords lists records, the newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN,
     *     PAGE_TOKEN_INVALID): correct the field that BadRequest names.
     * </pre>
     */
    public void listRecords(io.github.toolresult.v1.ListRecordsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.ListRecordsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getListRecordsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * VerifyRecord makes the canonical result and the receipt of a record again, from the
     * complete output that was stored, and compares them byte for byte with those that were
     * answered. What cannot be compared, because it was deleted or because this program
     * has another version of what made it, is said to be so, and why. The original of what
     * was redacted is not compared: the values that were registered are not kept.
     * Errors: those of GetRecord.
     * </pre>
     */
    public void verifyRecord(io.github.toolresult.v1.VerifyRecordRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyRecordResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getVerifyRecordMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * VerifyLog follows the chain from its first record to its last, and answers one
     * message for each record that does not hold, and at last one with the counts and the
     * head.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): correct the field that BadRequest names.
     * </pre>
     */
    public void verifyLog(io.github.toolresult.v1.VerifyLogRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyLogResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncServerStreamingCall(
          getChannel().newCall(getVerifyLogMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service AuditService.
   * <pre>
   * AuditService answers what the model saw, and proves it. Every answered call that makes
   * something for a model leaves one record, which is durable before the answer is sent;
   * every rejected call leaves a short one without payload. Records are chained: each has
   * the hash of the one before, so that none can be altered, removed or put between
   * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
   * the hash of its record, which is the head of the chain; who keeps it can prove
   * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
   * Contract".
   * Every RPC may also answer what ToolResultService lists for every RPC, and
   *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
   *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
   *     server starts again.
   *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
   *     the RetryInfo.
   * </pre>
   */
  public static final class AuditServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<AuditServiceBlockingV2Stub> {
    private AuditServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AuditServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AuditServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * GetRecord reads one record.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING): correct the field that BadRequest names.
     *   NOT_FOUND (RECORD_NOT_FOUND): there is none, or it is of another session than the caller may see.
     *   DATA_LOSS (AUDIT_CHAIN_BROKEN): the record cannot be read.
     * </pre>
     */
    public io.github.toolresult.v1.GetRecordResponse getRecord(io.github.toolresult.v1.GetRecordRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetRecordMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListRecords lists records, the newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN,
     *     PAGE_TOKEN_INVALID): correct the field that BadRequest names.
     * </pre>
     */
    public io.github.toolresult.v1.ListRecordsResponse listRecords(io.github.toolresult.v1.ListRecordsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getListRecordsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * VerifyRecord makes the canonical result and the receipt of a record again, from the
     * complete output that was stored, and compares them byte for byte with those that were
     * answered. What cannot be compared, because it was deleted or because this program
     * has another version of what made it, is said to be so, and why. The original of what
     * was redacted is not compared: the values that were registered are not kept.
     * Errors: those of GetRecord.
     * </pre>
     */
    public io.github.toolresult.v1.VerifyRecordResponse verifyRecord(io.github.toolresult.v1.VerifyRecordRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getVerifyRecordMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * VerifyLog follows the chain from its first record to its last, and answers one
     * message for each record that does not hold, and at last one with the counts and the
     * head.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): correct the field that BadRequest names.
     * </pre>
     */
    @io.grpc.ExperimentalApi("https://github.com/grpc/grpc-java/issues/10918")
    public io.grpc.stub.BlockingClientCall<?, io.github.toolresult.v1.VerifyLogResponse>
        verifyLog(io.github.toolresult.v1.VerifyLogRequest request) {
      return io.grpc.stub.ClientCalls.blockingV2ServerStreamingCall(
          getChannel(), getVerifyLogMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service AuditService.
   * <pre>
   * AuditService answers what the model saw, and proves it. Every answered call that makes
   * something for a model leaves one record, which is durable before the answer is sent;
   * every rejected call leaves a short one without payload. Records are chained: each has
   * the hash of the one before, so that none can be altered, removed or put between
   * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
   * the hash of its record, which is the head of the chain; who keeps it can prove
   * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
   * Contract".
   * Every RPC may also answer what ToolResultService lists for every RPC, and
   *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
   *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
   *     server starts again.
   *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
   *     the RetryInfo.
   * </pre>
   */
  public static final class AuditServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<AuditServiceBlockingStub> {
    private AuditServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AuditServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AuditServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * GetRecord reads one record.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING): correct the field that BadRequest names.
     *   NOT_FOUND (RECORD_NOT_FOUND): there is none, or it is of another session than the caller may see.
     *   DATA_LOSS (AUDIT_CHAIN_BROKEN): the record cannot be read.
     * </pre>
     */
    public io.github.toolresult.v1.GetRecordResponse getRecord(io.github.toolresult.v1.GetRecordRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetRecordMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * ListRecords lists records, the newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN,
     *     PAGE_TOKEN_INVALID): correct the field that BadRequest names.
     * </pre>
     */
    public io.github.toolresult.v1.ListRecordsResponse listRecords(io.github.toolresult.v1.ListRecordsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getListRecordsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * VerifyRecord makes the canonical result and the receipt of a record again, from the
     * complete output that was stored, and compares them byte for byte with those that were
     * answered. What cannot be compared, because it was deleted or because this program
     * has another version of what made it, is said to be so, and why. The original of what
     * was redacted is not compared: the values that were registered are not kept.
     * Errors: those of GetRecord.
     * </pre>
     */
    public io.github.toolresult.v1.VerifyRecordResponse verifyRecord(io.github.toolresult.v1.VerifyRecordRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getVerifyRecordMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * VerifyLog follows the chain from its first record to its last, and answers one
     * message for each record that does not hold, and at last one with the counts and the
     * head.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS): correct the field that BadRequest names.
     * </pre>
     */
    public java.util.Iterator<io.github.toolresult.v1.VerifyLogResponse> verifyLog(
        io.github.toolresult.v1.VerifyLogRequest request) {
      return io.grpc.stub.ClientCalls.blockingServerStreamingCall(
          getChannel(), getVerifyLogMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service AuditService.
   * <pre>
   * AuditService answers what the model saw, and proves it. Every answered call that makes
   * something for a model leaves one record, which is durable before the answer is sent;
   * every rejected call leaves a short one without payload. Records are chained: each has
   * the hash of the one before, so that none can be altered, removed or put between
   * others unseen. The trailer "toolresult-audit" of an answer has the log, the sequence and
   * the hash of its record, which is the head of the chain; who keeps it can prove
   * later that the end of the log is not missing (VerifyLog). Source: RFC "Runtime Storage
   * Contract".
   * Every RPC may also answer what ToolResultService lists for every RPC, and
   *   FAILED_PRECONDITION (AUDIT_DISABLED): the operator keeps no audit log (setting audit).
   *   FAILED_PRECONDITION (AUDIT_LOG_FAILED): the log failed, and takes nothing until the
   *     server starts again.
   *   UNAVAILABLE (AUDIT_LOG_UNAVAILABLE): its disk or its database does not answer; retry after
   *     the RetryInfo.
   * </pre>
   */
  public static final class AuditServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<AuditServiceFutureStub> {
    private AuditServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AuditServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AuditServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * GetRecord reads one record.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING): correct the field that BadRequest names.
     *   NOT_FOUND (RECORD_NOT_FOUND): there is none, or it is of another session than the caller may see.
     *   DATA_LOSS (AUDIT_CHAIN_BROKEN): the record cannot be read.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.GetRecordResponse> getRecord(
        io.github.toolresult.v1.GetRecordRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetRecordMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * ListRecords lists records, the newest first.
     * Errors:
     *   INVALID_ARGUMENT (NAME_INVALID, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, ENUM_UNKNOWN,
     *     PAGE_TOKEN_INVALID): correct the field that BadRequest names.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.ListRecordsResponse> listRecords(
        io.github.toolresult.v1.ListRecordsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getListRecordsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * VerifyRecord makes the canonical result and the receipt of a record again, from the
     * complete output that was stored, and compares them byte for byte with those that were
     * answered. What cannot be compared, because it was deleted or because this program
     * has another version of what made it, is said to be so, and why. The original of what
     * was redacted is not compared: the values that were registered are not kept.
     * Errors: those of GetRecord.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.VerifyRecordResponse> verifyRecord(
        io.github.toolresult.v1.VerifyRecordRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getVerifyRecordMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_GET_RECORD = 0;
  private static final int METHODID_LIST_RECORDS = 1;
  private static final int METHODID_VERIFY_RECORD = 2;
  private static final int METHODID_VERIFY_LOG = 3;

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
        case METHODID_GET_RECORD:
          serviceImpl.getRecord((io.github.toolresult.v1.GetRecordRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetRecordResponse>) responseObserver);
          break;
        case METHODID_LIST_RECORDS:
          serviceImpl.listRecords((io.github.toolresult.v1.ListRecordsRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.ListRecordsResponse>) responseObserver);
          break;
        case METHODID_VERIFY_RECORD:
          serviceImpl.verifyRecord((io.github.toolresult.v1.VerifyRecordRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyRecordResponse>) responseObserver);
          break;
        case METHODID_VERIFY_LOG:
          serviceImpl.verifyLog((io.github.toolresult.v1.VerifyLogRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.VerifyLogResponse>) responseObserver);
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
        default:
          throw new AssertionError();
      }
    }
  }

  public static final io.grpc.ServerServiceDefinition bindService(AsyncService service) {
    return io.grpc.ServerServiceDefinition.builder(getServiceDescriptor())
        .addMethod(
          getGetRecordMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.GetRecordRequest,
              io.github.toolresult.v1.GetRecordResponse>(
                service, METHODID_GET_RECORD)))
        .addMethod(
          getListRecordsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.ListRecordsRequest,
              io.github.toolresult.v1.ListRecordsResponse>(
                service, METHODID_LIST_RECORDS)))
        .addMethod(
          getVerifyRecordMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.VerifyRecordRequest,
              io.github.toolresult.v1.VerifyRecordResponse>(
                service, METHODID_VERIFY_RECORD)))
        .addMethod(
          getVerifyLogMethod(),
          io.grpc.stub.ServerCalls.asyncServerStreamingCall(
            new MethodHandlers<
              io.github.toolresult.v1.VerifyLogRequest,
              io.github.toolresult.v1.VerifyLogResponse>(
                service, METHODID_VERIFY_LOG)))
        .build();
  }

  private static abstract class AuditServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    AuditServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.github.toolresult.v1.AuditProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("AuditService");
    }
  }

  private static final class AuditServiceFileDescriptorSupplier
      extends AuditServiceBaseDescriptorSupplier {
    AuditServiceFileDescriptorSupplier() {}
  }

  private static final class AuditServiceMethodDescriptorSupplier
      extends AuditServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    AuditServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (AuditServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new AuditServiceFileDescriptorSupplier())
              .addMethod(getGetRecordMethod())
              .addMethod(getListRecordsMethod())
              .addMethod(getVerifyRecordMethod())
              .addMethod(getVerifyLogMethod())
              .build();
        }
      }
    }
    return result;
  }
}
