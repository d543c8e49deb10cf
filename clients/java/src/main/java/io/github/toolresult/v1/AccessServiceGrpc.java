package io.github.toolresult.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * AccessService manages who may call for a session, and which values nobody may see.
 * Every RPC may also answer what ToolResultService lists for every RPC.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class AccessServiceGrpc {

  private AccessServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolresult.v1.AccessService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.IssueSessionTokenRequest,
      io.github.toolresult.v1.IssueSessionTokenResponse> getIssueSessionTokenMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "IssueSessionToken",
      requestType = io.github.toolresult.v1.IssueSessionTokenRequest.class,
      responseType = io.github.toolresult.v1.IssueSessionTokenResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.IssueSessionTokenRequest,
      io.github.toolresult.v1.IssueSessionTokenResponse> getIssueSessionTokenMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.IssueSessionTokenRequest, io.github.toolresult.v1.IssueSessionTokenResponse> getIssueSessionTokenMethod;
    if ((getIssueSessionTokenMethod = AccessServiceGrpc.getIssueSessionTokenMethod) == null) {
      synchronized (AccessServiceGrpc.class) {
        if ((getIssueSessionTokenMethod = AccessServiceGrpc.getIssueSessionTokenMethod) == null) {
          AccessServiceGrpc.getIssueSessionTokenMethod = getIssueSessionTokenMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.IssueSessionTokenRequest, io.github.toolresult.v1.IssueSessionTokenResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "IssueSessionToken"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.IssueSessionTokenRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.IssueSessionTokenResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AccessServiceMethodDescriptorSupplier("IssueSessionToken"))
              .build();
        }
      }
    }
    return getIssueSessionTokenMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.RevokeSessionTokensRequest,
      io.github.toolresult.v1.RevokeSessionTokensResponse> getRevokeSessionTokensMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RevokeSessionTokens",
      requestType = io.github.toolresult.v1.RevokeSessionTokensRequest.class,
      responseType = io.github.toolresult.v1.RevokeSessionTokensResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.RevokeSessionTokensRequest,
      io.github.toolresult.v1.RevokeSessionTokensResponse> getRevokeSessionTokensMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.RevokeSessionTokensRequest, io.github.toolresult.v1.RevokeSessionTokensResponse> getRevokeSessionTokensMethod;
    if ((getRevokeSessionTokensMethod = AccessServiceGrpc.getRevokeSessionTokensMethod) == null) {
      synchronized (AccessServiceGrpc.class) {
        if ((getRevokeSessionTokensMethod = AccessServiceGrpc.getRevokeSessionTokensMethod) == null) {
          AccessServiceGrpc.getRevokeSessionTokensMethod = getRevokeSessionTokensMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.RevokeSessionTokensRequest, io.github.toolresult.v1.RevokeSessionTokensResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RevokeSessionTokens"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.RevokeSessionTokensRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.RevokeSessionTokensResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AccessServiceMethodDescriptorSupplier("RevokeSessionTokens"))
              .build();
        }
      }
    }
    return getRevokeSessionTokensMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.RegisterSecretsRequest,
      io.github.toolresult.v1.RegisterSecretsResponse> getRegisterSecretsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "RegisterSecrets",
      requestType = io.github.toolresult.v1.RegisterSecretsRequest.class,
      responseType = io.github.toolresult.v1.RegisterSecretsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.RegisterSecretsRequest,
      io.github.toolresult.v1.RegisterSecretsResponse> getRegisterSecretsMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.RegisterSecretsRequest, io.github.toolresult.v1.RegisterSecretsResponse> getRegisterSecretsMethod;
    if ((getRegisterSecretsMethod = AccessServiceGrpc.getRegisterSecretsMethod) == null) {
      synchronized (AccessServiceGrpc.class) {
        if ((getRegisterSecretsMethod = AccessServiceGrpc.getRegisterSecretsMethod) == null) {
          AccessServiceGrpc.getRegisterSecretsMethod = getRegisterSecretsMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.RegisterSecretsRequest, io.github.toolresult.v1.RegisterSecretsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "RegisterSecrets"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.RegisterSecretsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.RegisterSecretsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new AccessServiceMethodDescriptorSupplier("RegisterSecrets"))
              .build();
        }
      }
    }
    return getRegisterSecretsMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static AccessServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AccessServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AccessServiceStub>() {
        @java.lang.Override
        public AccessServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AccessServiceStub(channel, callOptions);
        }
      };
    return AccessServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static AccessServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AccessServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AccessServiceBlockingV2Stub>() {
        @java.lang.Override
        public AccessServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AccessServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return AccessServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static AccessServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AccessServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AccessServiceBlockingStub>() {
        @java.lang.Override
        public AccessServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AccessServiceBlockingStub(channel, callOptions);
        }
      };
    return AccessServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static AccessServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<AccessServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<AccessServiceFutureStub>() {
        @java.lang.Override
        public AccessServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new AccessServiceFutureStub(channel, callOptions);
        }
      };
    return AccessServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * AccessService manages who may call for a session, and which values nobody may see.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * IssueSessionToken makes a token that confines its bearer to one session: calls that
     * carry it ("authorization: Bearer &lt;token&gt;", also on the Unix socket) see what is of
     * that session, and for everything else they get the answer as if it did not exist. The
     * token is good until the server stops, its lifetime is over, or it is taken back;
     * from then on calls of its bearer are rejected.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     * </pre>
     */
    default void issueSessionToken(io.github.toolresult.v1.IssueSessionTokenRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.IssueSessionTokenResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getIssueSessionTokenMethod(), responseObserver);
    }

    /**
     * <pre>
     * RevokeSessionTokens takes tokens back: all of a session that were issued until now, one
     * by its id, or both. Calls that began before go on to their end. Taking back what was
     * taken back already has no effect.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID): correct the field that
     *     BadRequest names.
     *   NOT_FOUND (TOKEN_UNKNOWN): no token with this id was issued since the server started;
     *     one of an earlier start is no longer good. Nothing was taken back.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server remembers as many as it can; a start
     *     ends all tokens.
     * </pre>
     */
    default void revokeSessionTokens(io.github.toolresult.v1.RevokeSessionTokensRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.RevokeSessionTokensResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRevokeSessionTokensMethod(), responseObserver);
    }

    /**
     * <pre>
     * RegisterSecrets says which values must not be in anything that is made of a tool's
     * output: those of one session, or of all. They are found as they are and in their usual
     * encodings (docs/reference/redaction.md), kept in memory alone, and written nowhere. The list
     * takes the place of an earlier one.
     * After a start the server knows no values. A call that names the set_id of the answer
     * (RedactionPolicy.require_set, LogHeader.require_set) is rejected while the server does not
     * have it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS, FIELD_TOO_LONG, NAME_INVALID): correct the field
     *     that BadRequest names; the values are in no message.
     *   INVALID_ARGUMENT (SECRET_INVALID): a value is empty, shorter than 8 bytes, longer than 16 KiB,
     *     or one character over and over; masking it would mask ordinary text.
     *   PERMISSION_DENIED (SESSION_MISMATCH): the caller is confined to another session.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server has as many sessions or values as it
     *     keeps; the metadata says which. Register empty lists for sessions that are over.
     * </pre>
     */
    default void registerSecrets(io.github.toolresult.v1.RegisterSecretsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.RegisterSecretsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getRegisterSecretsMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service AccessService.
   * <pre>
   * AccessService manages who may call for a session, and which values nobody may see.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static abstract class AccessServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return AccessServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service AccessService.
   * <pre>
   * AccessService manages who may call for a session, and which values nobody may see.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class AccessServiceStub
      extends io.grpc.stub.AbstractAsyncStub<AccessServiceStub> {
    private AccessServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AccessServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AccessServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * IssueSessionToken makes a token that confines its bearer to one session: calls that
     * carry it ("authorization: Bearer &lt;token&gt;", also on the Unix socket) see what is of
     * that session, and for everything else they get the answer as if it did not exist. The
     * token is good until the server stops, its lifetime is over, or it is taken back;
     * from then on calls of its bearer are rejected.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     * </pre>
     */
    public void issueSessionToken(io.github.toolresult.v1.IssueSessionTokenRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.IssueSessionTokenResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getIssueSessionTokenMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * RevokeSessionTokens takes tokens back: all of a session that were issued until now, one
     * by its id, or both. Calls that began before go on to their end. Taking back what was
     * taken back already has no effect.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID): correct the field that
     *     BadRequest names.
     *   NOT_FOUND (TOKEN_UNKNOWN): no token with this id was issued since the server started;
     *     one of an earlier start is no longer good. Nothing was taken back.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server remembers as many as it can; a start
     *     ends all tokens.
     * </pre>
     */
    public void revokeSessionTokens(io.github.toolresult.v1.RevokeSessionTokensRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.RevokeSessionTokensResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRevokeSessionTokensMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * RegisterSecrets says which values must not be in anything that is made of a tool's
     * output: those of one session, or of all. They are found as they are and in their usual
     * encodings (docs/reference/redaction.md), kept in memory alone, and written nowhere. The list
     * takes the place of an earlier one.
     * After a start the server knows no values. A call that names the set_id of the answer
     * (RedactionPolicy.require_set, LogHeader.require_set) is rejected while the server does not
     * have it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS, FIELD_TOO_LONG, NAME_INVALID): correct the field
     *     that BadRequest names; the values are in no message.
     *   INVALID_ARGUMENT (SECRET_INVALID): a value is empty, shorter than 8 bytes, longer than 16 KiB,
     *     or one character over and over; masking it would mask ordinary text.
     *   PERMISSION_DENIED (SESSION_MISMATCH): the caller is confined to another session.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server has as many sessions or values as it
     *     keeps; the metadata says which. Register empty lists for sessions that are over.
     * </pre>
     */
    public void registerSecrets(io.github.toolresult.v1.RegisterSecretsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.RegisterSecretsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getRegisterSecretsMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service AccessService.
   * <pre>
   * AccessService manages who may call for a session, and which values nobody may see.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class AccessServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<AccessServiceBlockingV2Stub> {
    private AccessServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AccessServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AccessServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * IssueSessionToken makes a token that confines its bearer to one session: calls that
     * carry it ("authorization: Bearer &lt;token&gt;", also on the Unix socket) see what is of
     * that session, and for everything else they get the answer as if it did not exist. The
     * token is good until the server stops, its lifetime is over, or it is taken back;
     * from then on calls of its bearer are rejected.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     * </pre>
     */
    public io.github.toolresult.v1.IssueSessionTokenResponse issueSessionToken(io.github.toolresult.v1.IssueSessionTokenRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getIssueSessionTokenMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RevokeSessionTokens takes tokens back: all of a session that were issued until now, one
     * by its id, or both. Calls that began before go on to their end. Taking back what was
     * taken back already has no effect.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID): correct the field that
     *     BadRequest names.
     *   NOT_FOUND (TOKEN_UNKNOWN): no token with this id was issued since the server started;
     *     one of an earlier start is no longer good. Nothing was taken back.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server remembers as many as it can; a start
     *     ends all tokens.
     * </pre>
     */
    public io.github.toolresult.v1.RevokeSessionTokensResponse revokeSessionTokens(io.github.toolresult.v1.RevokeSessionTokensRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRevokeSessionTokensMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RegisterSecrets says which values must not be in anything that is made of a tool's
     * output: those of one session, or of all. They are found as they are and in their usual
     * encodings (docs/reference/redaction.md), kept in memory alone, and written nowhere. The list
     * takes the place of an earlier one.
     * After a start the server knows no values. A call that names the set_id of the answer
     * (RedactionPolicy.require_set, LogHeader.require_set) is rejected while the server does not
     * have it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS, FIELD_TOO_LONG, NAME_INVALID): correct the field
     *     that BadRequest names; the values are in no message.
     *   INVALID_ARGUMENT (SECRET_INVALID): a value is empty, shorter than 8 bytes, longer than 16 KiB,
     *     or one character over and over; masking it would mask ordinary text.
     *   PERMISSION_DENIED (SESSION_MISMATCH): the caller is confined to another session.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server has as many sessions or values as it
     *     keeps; the metadata says which. Register empty lists for sessions that are over.
     * </pre>
     */
    public io.github.toolresult.v1.RegisterSecretsResponse registerSecrets(io.github.toolresult.v1.RegisterSecretsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getRegisterSecretsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service AccessService.
   * <pre>
   * AccessService manages who may call for a session, and which values nobody may see.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class AccessServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<AccessServiceBlockingStub> {
    private AccessServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AccessServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AccessServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * IssueSessionToken makes a token that confines its bearer to one session: calls that
     * carry it ("authorization: Bearer &lt;token&gt;", also on the Unix socket) see what is of
     * that session, and for everything else they get the answer as if it did not exist. The
     * token is good until the server stops, its lifetime is over, or it is taken back;
     * from then on calls of its bearer are rejected.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     * </pre>
     */
    public io.github.toolresult.v1.IssueSessionTokenResponse issueSessionToken(io.github.toolresult.v1.IssueSessionTokenRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getIssueSessionTokenMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RevokeSessionTokens takes tokens back: all of a session that were issued until now, one
     * by its id, or both. Calls that began before go on to their end. Taking back what was
     * taken back already has no effect.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID): correct the field that
     *     BadRequest names.
     *   NOT_FOUND (TOKEN_UNKNOWN): no token with this id was issued since the server started;
     *     one of an earlier start is no longer good. Nothing was taken back.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server remembers as many as it can; a start
     *     ends all tokens.
     * </pre>
     */
    public io.github.toolresult.v1.RevokeSessionTokensResponse revokeSessionTokens(io.github.toolresult.v1.RevokeSessionTokensRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRevokeSessionTokensMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * RegisterSecrets says which values must not be in anything that is made of a tool's
     * output: those of one session, or of all. They are found as they are and in their usual
     * encodings (docs/reference/redaction.md), kept in memory alone, and written nowhere. The list
     * takes the place of an earlier one.
     * After a start the server knows no values. A call that names the set_id of the answer
     * (RedactionPolicy.require_set, LogHeader.require_set) is rejected while the server does not
     * have it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS, FIELD_TOO_LONG, NAME_INVALID): correct the field
     *     that BadRequest names; the values are in no message.
     *   INVALID_ARGUMENT (SECRET_INVALID): a value is empty, shorter than 8 bytes, longer than 16 KiB,
     *     or one character over and over; masking it would mask ordinary text.
     *   PERMISSION_DENIED (SESSION_MISMATCH): the caller is confined to another session.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server has as many sessions or values as it
     *     keeps; the metadata says which. Register empty lists for sessions that are over.
     * </pre>
     */
    public io.github.toolresult.v1.RegisterSecretsResponse registerSecrets(io.github.toolresult.v1.RegisterSecretsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getRegisterSecretsMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service AccessService.
   * <pre>
   * AccessService manages who may call for a session, and which values nobody may see.
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class AccessServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<AccessServiceFutureStub> {
    private AccessServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected AccessServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new AccessServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * IssueSessionToken makes a token that confines its bearer to one session: calls that
     * carry it ("authorization: Bearer &lt;token&gt;", also on the Unix socket) see what is of
     * that session, and for everything else they get the answer as if it did not exist. The
     * token is good until the server stops, its lifetime is over, or it is taken back;
     * from then on calls of its bearer are rejected.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID, FIELD_OUT_OF_BOUNDS): correct
     *     the field that BadRequest names.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.IssueSessionTokenResponse> issueSessionToken(
        io.github.toolresult.v1.IssueSessionTokenRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getIssueSessionTokenMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * RevokeSessionTokens takes tokens back: all of a session that were issued until now, one
     * by its id, or both. Calls that began before go on to their end. Taking back what was
     * taken back already has no effect.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, NAME_INVALID): correct the field that
     *     BadRequest names.
     *   NOT_FOUND (TOKEN_UNKNOWN): no token with this id was issued since the server started;
     *     one of an earlier start is no longer good. Nothing was taken back.
     *   PERMISSION_DENIED (METHOD_NOT_ALLOWED): the caller is confined to a session itself.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server remembers as many as it can; a start
     *     ends all tokens.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.RevokeSessionTokensResponse> revokeSessionTokens(
        io.github.toolresult.v1.RevokeSessionTokensRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRevokeSessionTokensMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * RegisterSecrets says which values must not be in anything that is made of a tool's
     * output: those of one session, or of all. They are found as they are and in their usual
     * encodings (docs/reference/redaction.md), kept in memory alone, and written nowhere. The list
     * takes the place of an earlier one.
     * After a start the server knows no values. A call that names the set_id of the answer
     * (RedactionPolicy.require_set, LogHeader.require_set) is rejected while the server does not
     * have it.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_OUT_OF_BOUNDS, FIELD_TOO_LONG, NAME_INVALID): correct the field
     *     that BadRequest names; the values are in no message.
     *   INVALID_ARGUMENT (SECRET_INVALID): a value is empty, shorter than 8 bytes, longer than 16 KiB,
     *     or one character over and over; masking it would mask ordinary text.
     *   PERMISSION_DENIED (SESSION_MISMATCH): the caller is confined to another session.
     *   RESOURCE_EXHAUSTED (QUOTA_SESSION): the server has as many sessions or values as it
     *     keeps; the metadata says which. Register empty lists for sessions that are over.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.RegisterSecretsResponse> registerSecrets(
        io.github.toolresult.v1.RegisterSecretsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getRegisterSecretsMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_ISSUE_SESSION_TOKEN = 0;
  private static final int METHODID_REVOKE_SESSION_TOKENS = 1;
  private static final int METHODID_REGISTER_SECRETS = 2;

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
        case METHODID_ISSUE_SESSION_TOKEN:
          serviceImpl.issueSessionToken((io.github.toolresult.v1.IssueSessionTokenRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.IssueSessionTokenResponse>) responseObserver);
          break;
        case METHODID_REVOKE_SESSION_TOKENS:
          serviceImpl.revokeSessionTokens((io.github.toolresult.v1.RevokeSessionTokensRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.RevokeSessionTokensResponse>) responseObserver);
          break;
        case METHODID_REGISTER_SECRETS:
          serviceImpl.registerSecrets((io.github.toolresult.v1.RegisterSecretsRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.RegisterSecretsResponse>) responseObserver);
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
          getIssueSessionTokenMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.IssueSessionTokenRequest,
              io.github.toolresult.v1.IssueSessionTokenResponse>(
                service, METHODID_ISSUE_SESSION_TOKEN)))
        .addMethod(
          getRevokeSessionTokensMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.RevokeSessionTokensRequest,
              io.github.toolresult.v1.RevokeSessionTokensResponse>(
                service, METHODID_REVOKE_SESSION_TOKENS)))
        .addMethod(
          getRegisterSecretsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.RegisterSecretsRequest,
              io.github.toolresult.v1.RegisterSecretsResponse>(
                service, METHODID_REGISTER_SECRETS)))
        .build();
  }

  private static abstract class AccessServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    AccessServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.github.toolresult.v1.AccessProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("AccessService");
    }
  }

  private static final class AccessServiceFileDescriptorSupplier
      extends AccessServiceBaseDescriptorSupplier {
    AccessServiceFileDescriptorSupplier() {}
  }

  private static final class AccessServiceMethodDescriptorSupplier
      extends AccessServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    AccessServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (AccessServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new AccessServiceFileDescriptorSupplier())
              .addMethod(getIssueSessionTokenMethod())
              .addMethod(getRevokeSessionTokensMethod())
              .addMethod(getRegisterSecretsMethod())
              .build();
        }
      }
    }
    return result;
  }
}
