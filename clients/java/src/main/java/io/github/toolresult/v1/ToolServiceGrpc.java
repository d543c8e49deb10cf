package io.github.toolresult.v1;

import static io.grpc.MethodDescriptor.generateFullMethodName;

/**
 * <pre>
 * ToolService is a tool that a model can be given, so that it can read what a receipt
 * does not show: read_result. A runtime puts its definition into the requests to the
 * provider, hands the calls of the model to CallTool, and the answers back to the model.
 * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
 * Every RPC may also answer what ToolResultService lists for every RPC.
 * </pre>
 */
@io.grpc.stub.annotations.GrpcGenerated
public final class ToolServiceGrpc {

  private ToolServiceGrpc() {}

  public static final java.lang.String SERVICE_NAME = "toolresult.v1.ToolService";

  // Static method descriptors that strictly reflect the proto.
  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.GetToolDefinitionsRequest,
      io.github.toolresult.v1.GetToolDefinitionsResponse> getGetToolDefinitionsMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "GetToolDefinitions",
      requestType = io.github.toolresult.v1.GetToolDefinitionsRequest.class,
      responseType = io.github.toolresult.v1.GetToolDefinitionsResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.GetToolDefinitionsRequest,
      io.github.toolresult.v1.GetToolDefinitionsResponse> getGetToolDefinitionsMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.GetToolDefinitionsRequest, io.github.toolresult.v1.GetToolDefinitionsResponse> getGetToolDefinitionsMethod;
    if ((getGetToolDefinitionsMethod = ToolServiceGrpc.getGetToolDefinitionsMethod) == null) {
      synchronized (ToolServiceGrpc.class) {
        if ((getGetToolDefinitionsMethod = ToolServiceGrpc.getGetToolDefinitionsMethod) == null) {
          ToolServiceGrpc.getGetToolDefinitionsMethod = getGetToolDefinitionsMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.GetToolDefinitionsRequest, io.github.toolresult.v1.GetToolDefinitionsResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "GetToolDefinitions"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.GetToolDefinitionsRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.GetToolDefinitionsResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolServiceMethodDescriptorSupplier("GetToolDefinitions"))
              .build();
        }
      }
    }
    return getGetToolDefinitionsMethod;
  }

  private static volatile io.grpc.MethodDescriptor<io.github.toolresult.v1.CallToolRequest,
      io.github.toolresult.v1.CallToolResponse> getCallToolMethod;

  @io.grpc.stub.annotations.RpcMethod(
      fullMethodName = SERVICE_NAME + '/' + "CallTool",
      requestType = io.github.toolresult.v1.CallToolRequest.class,
      responseType = io.github.toolresult.v1.CallToolResponse.class,
      methodType = io.grpc.MethodDescriptor.MethodType.UNARY)
  public static io.grpc.MethodDescriptor<io.github.toolresult.v1.CallToolRequest,
      io.github.toolresult.v1.CallToolResponse> getCallToolMethod() {
    io.grpc.MethodDescriptor<io.github.toolresult.v1.CallToolRequest, io.github.toolresult.v1.CallToolResponse> getCallToolMethod;
    if ((getCallToolMethod = ToolServiceGrpc.getCallToolMethod) == null) {
      synchronized (ToolServiceGrpc.class) {
        if ((getCallToolMethod = ToolServiceGrpc.getCallToolMethod) == null) {
          ToolServiceGrpc.getCallToolMethod = getCallToolMethod =
              io.grpc.MethodDescriptor.<io.github.toolresult.v1.CallToolRequest, io.github.toolresult.v1.CallToolResponse>newBuilder()
              .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
              .setFullMethodName(generateFullMethodName(SERVICE_NAME, "CallTool"))
              .setSampledToLocalTracing(true)
              .setRequestMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CallToolRequest.getDefaultInstance()))
              .setResponseMarshaller(io.grpc.protobuf.ProtoUtils.marshaller(
                  io.github.toolresult.v1.CallToolResponse.getDefaultInstance()))
              .setSchemaDescriptor(new ToolServiceMethodDescriptorSupplier("CallTool"))
              .build();
        }
      }
    }
    return getCallToolMethod;
  }

  /**
   * Creates a new async stub that supports all call types for the service
   */
  public static ToolServiceStub newStub(io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolServiceStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolServiceStub>() {
        @java.lang.Override
        public ToolServiceStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolServiceStub(channel, callOptions);
        }
      };
    return ToolServiceStub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports all types of calls on the service
   */
  public static ToolServiceBlockingV2Stub newBlockingV2Stub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolServiceBlockingV2Stub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolServiceBlockingV2Stub>() {
        @java.lang.Override
        public ToolServiceBlockingV2Stub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolServiceBlockingV2Stub(channel, callOptions);
        }
      };
    return ToolServiceBlockingV2Stub.newStub(factory, channel);
  }

  /**
   * Creates a new blocking-style stub that supports unary and streaming output calls on the service
   */
  public static ToolServiceBlockingStub newBlockingStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolServiceBlockingStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolServiceBlockingStub>() {
        @java.lang.Override
        public ToolServiceBlockingStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolServiceBlockingStub(channel, callOptions);
        }
      };
    return ToolServiceBlockingStub.newStub(factory, channel);
  }

  /**
   * Creates a new ListenableFuture-style stub that supports unary calls on the service
   */
  public static ToolServiceFutureStub newFutureStub(
      io.grpc.Channel channel) {
    io.grpc.stub.AbstractStub.StubFactory<ToolServiceFutureStub> factory =
      new io.grpc.stub.AbstractStub.StubFactory<ToolServiceFutureStub>() {
        @java.lang.Override
        public ToolServiceFutureStub newStub(io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
          return new ToolServiceFutureStub(channel, callOptions);
        }
      };
    return ToolServiceFutureStub.newStub(factory, channel);
  }

  /**
   * <pre>
   * ToolService is a tool that a model can be given, so that it can read what a receipt
   * does not show: read_result. A runtime puts its definition into the requests to the
   * provider, hands the calls of the model to CallTool, and the answers back to the model.
   * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public interface AsyncService {

    /**
     * <pre>
     * GetToolDefinitions returns the definitions of the tools in the form of a provider, to
     * be put into "tools" of a request as they are; for Gemini, into "functionDeclarations"
     * of an element of "tools".
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, ENUM_UNKNOWN): correct the field that BadRequest
     *     names.
     * </pre>
     */
    default void getToolDefinitions(io.github.toolresult.v1.GetToolDefinitionsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetToolDefinitionsResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getGetToolDefinitionsMethod(), responseObserver);
    }

    /**
     * <pre>
     * CallTool executes a call that a model made, with the rights of a session: it reads
     * artifacts of that session alone. What the model did wrong is an error in the canonical
     * result, which it can read and correct, and not one of this RPC. The answer is one
     * page, which is never cut again: Project shows text of this tool whole.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, BUDGET_TOO_SMALL): correct the field that BadRequest names, or give
     *     the page more tokens.
     *   INVALID_ARGUMENT (TOOL_UNKNOWN): the name is none of GetToolDefinitions; the call
     *     is for another tool of the runtime.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): as for ReadArtifact, which also says
     *     how it is when the object store does not answer.
     * </pre>
     */
    default void callTool(io.github.toolresult.v1.CallToolRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CallToolResponse> responseObserver) {
      io.grpc.stub.ServerCalls.asyncUnimplementedUnaryCall(getCallToolMethod(), responseObserver);
    }
  }

  /**
   * Base class for the server implementation of the service ToolService.
   * <pre>
   * ToolService is a tool that a model can be given, so that it can read what a receipt
   * does not show: read_result. A runtime puts its definition into the requests to the
   * provider, hands the calls of the model to CallTool, and the answers back to the model.
   * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static abstract class ToolServiceImplBase
      implements io.grpc.BindableService, AsyncService {

    @java.lang.Override public final io.grpc.ServerServiceDefinition bindService() {
      return ToolServiceGrpc.bindService(this);
    }
  }

  /**
   * A stub to allow clients to do asynchronous rpc calls to service ToolService.
   * <pre>
   * ToolService is a tool that a model can be given, so that it can read what a receipt
   * does not show: read_result. A runtime puts its definition into the requests to the
   * provider, hands the calls of the model to CallTool, and the answers back to the model.
   * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ToolServiceStub
      extends io.grpc.stub.AbstractAsyncStub<ToolServiceStub> {
    private ToolServiceStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolServiceStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolServiceStub(channel, callOptions);
    }

    /**
     * <pre>
     * GetToolDefinitions returns the definitions of the tools in the form of a provider, to
     * be put into "tools" of a request as they are; for Gemini, into "functionDeclarations"
     * of an element of "tools".
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, ENUM_UNKNOWN): correct the field that BadRequest
     *     names.
     * </pre>
     */
    public void getToolDefinitions(io.github.toolresult.v1.GetToolDefinitionsRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetToolDefinitionsResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getGetToolDefinitionsMethod(), getCallOptions()), request, responseObserver);
    }

    /**
     * <pre>
     * CallTool executes a call that a model made, with the rights of a session: it reads
     * artifacts of that session alone. What the model did wrong is an error in the canonical
     * result, which it can read and correct, and not one of this RPC. The answer is one
     * page, which is never cut again: Project shows text of this tool whole.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, BUDGET_TOO_SMALL): correct the field that BadRequest names, or give
     *     the page more tokens.
     *   INVALID_ARGUMENT (TOOL_UNKNOWN): the name is none of GetToolDefinitions; the call
     *     is for another tool of the runtime.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): as for ReadArtifact, which also says
     *     how it is when the object store does not answer.
     * </pre>
     */
    public void callTool(io.github.toolresult.v1.CallToolRequest request,
        io.grpc.stub.StreamObserver<io.github.toolresult.v1.CallToolResponse> responseObserver) {
      io.grpc.stub.ClientCalls.asyncUnaryCall(
          getChannel().newCall(getCallToolMethod(), getCallOptions()), request, responseObserver);
    }
  }

  /**
   * A stub to allow clients to do synchronous rpc calls to service ToolService.
   * <pre>
   * ToolService is a tool that a model can be given, so that it can read what a receipt
   * does not show: read_result. A runtime puts its definition into the requests to the
   * provider, hands the calls of the model to CallTool, and the answers back to the model.
   * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ToolServiceBlockingV2Stub
      extends io.grpc.stub.AbstractBlockingStub<ToolServiceBlockingV2Stub> {
    private ToolServiceBlockingV2Stub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolServiceBlockingV2Stub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolServiceBlockingV2Stub(channel, callOptions);
    }

    /**
     * <pre>
     * GetToolDefinitions returns the definitions of the tools in the form of a provider, to
     * be put into "tools" of a request as they are; for Gemini, into "functionDeclarations"
     * of an element of "tools".
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, ENUM_UNKNOWN): correct the field that BadRequest
     *     names.
     * </pre>
     */
    public io.github.toolresult.v1.GetToolDefinitionsResponse getToolDefinitions(io.github.toolresult.v1.GetToolDefinitionsRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getGetToolDefinitionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CallTool executes a call that a model made, with the rights of a session: it reads
     * artifacts of that session alone. What the model did wrong is an error in the canonical
     * result, which it can read and correct, and not one of this RPC. The answer is one
     * page, which is never cut again: Project shows text of this tool whole.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, BUDGET_TOO_SMALL): correct the field that BadRequest names, or give
     *     the page more tokens.
     *   INVALID_ARGUMENT (TOOL_UNKNOWN): the name is none of GetToolDefinitions; the call
     *     is for another tool of the runtime.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): as for ReadArtifact, which also says
     *     how it is when the object store does not answer.
     * </pre>
     */
    public io.github.toolresult.v1.CallToolResponse callTool(io.github.toolresult.v1.CallToolRequest request) throws io.grpc.StatusException {
      return io.grpc.stub.ClientCalls.blockingV2UnaryCall(
          getChannel(), getCallToolMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do limited synchronous rpc calls to service ToolService.
   * <pre>
   * ToolService is a tool that a model can be given, so that it can read what a receipt
   * does not show: read_result. A runtime puts its definition into the requests to the
   * provider, hands the calls of the model to CallTool, and the answers back to the model.
   * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ToolServiceBlockingStub
      extends io.grpc.stub.AbstractBlockingStub<ToolServiceBlockingStub> {
    private ToolServiceBlockingStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolServiceBlockingStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolServiceBlockingStub(channel, callOptions);
    }

    /**
     * <pre>
     * GetToolDefinitions returns the definitions of the tools in the form of a provider, to
     * be put into "tools" of a request as they are; for Gemini, into "functionDeclarations"
     * of an element of "tools".
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, ENUM_UNKNOWN): correct the field that BadRequest
     *     names.
     * </pre>
     */
    public io.github.toolresult.v1.GetToolDefinitionsResponse getToolDefinitions(io.github.toolresult.v1.GetToolDefinitionsRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getGetToolDefinitionsMethod(), getCallOptions(), request);
    }

    /**
     * <pre>
     * CallTool executes a call that a model made, with the rights of a session: it reads
     * artifacts of that session alone. What the model did wrong is an error in the canonical
     * result, which it can read and correct, and not one of this RPC. The answer is one
     * page, which is never cut again: Project shows text of this tool whole.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, BUDGET_TOO_SMALL): correct the field that BadRequest names, or give
     *     the page more tokens.
     *   INVALID_ARGUMENT (TOOL_UNKNOWN): the name is none of GetToolDefinitions; the call
     *     is for another tool of the runtime.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): as for ReadArtifact, which also says
     *     how it is when the object store does not answer.
     * </pre>
     */
    public io.github.toolresult.v1.CallToolResponse callTool(io.github.toolresult.v1.CallToolRequest request) {
      return io.grpc.stub.ClientCalls.blockingUnaryCall(
          getChannel(), getCallToolMethod(), getCallOptions(), request);
    }
  }

  /**
   * A stub to allow clients to do ListenableFuture-style rpc calls to service ToolService.
   * <pre>
   * ToolService is a tool that a model can be given, so that it can read what a receipt
   * does not show: read_result. A runtime puts its definition into the requests to the
   * provider, hands the calls of the model to CallTool, and the answers back to the model.
   * Receipts name the call in place of a path where the policy says so (HANDLE_FORM_CALL).
   * Every RPC may also answer what ToolResultService lists for every RPC.
   * </pre>
   */
  public static final class ToolServiceFutureStub
      extends io.grpc.stub.AbstractFutureStub<ToolServiceFutureStub> {
    private ToolServiceFutureStub(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      super(channel, callOptions);
    }

    @java.lang.Override
    protected ToolServiceFutureStub build(
        io.grpc.Channel channel, io.grpc.CallOptions callOptions) {
      return new ToolServiceFutureStub(channel, callOptions);
    }

    /**
     * <pre>
     * GetToolDefinitions returns the definitions of the tools in the form of a provider, to
     * be put into "tools" of a request as they are; for Gemini, into "functionDeclarations"
     * of an element of "tools".
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, ENUM_UNKNOWN): correct the field that BadRequest
     *     names.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.GetToolDefinitionsResponse> getToolDefinitions(
        io.github.toolresult.v1.GetToolDefinitionsRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getGetToolDefinitionsMethod(), getCallOptions()), request);
    }

    /**
     * <pre>
     * CallTool executes a call that a model made, with the rights of a session: it reads
     * artifacts of that session alone. What the model did wrong is an error in the canonical
     * result, which it can read and correct, and not one of this RPC. The answer is one
     * page, which is never cut again: Project shows text of this tool whole.
     * Errors:
     *   INVALID_ARGUMENT (FIELD_MISSING, FIELD_TOO_LONG, FIELD_OUT_OF_BOUNDS, NAME_INVALID,
     *     ENUM_UNKNOWN, BUDGET_TOO_SMALL): correct the field that BadRequest names, or give
     *     the page more tokens.
     *   INVALID_ARGUMENT (TOOL_UNKNOWN): the name is none of GetToolDefinitions; the call
     *     is for another tool of the runtime.
     *   DATA_LOSS (ARTIFACT_CORRUPT, ARTIFACT_MISSING): as for ReadArtifact, which also says
     *     how it is when the object store does not answer.
     * </pre>
     */
    public com.google.common.util.concurrent.ListenableFuture<io.github.toolresult.v1.CallToolResponse> callTool(
        io.github.toolresult.v1.CallToolRequest request) {
      return io.grpc.stub.ClientCalls.futureUnaryCall(
          getChannel().newCall(getCallToolMethod(), getCallOptions()), request);
    }
  }

  private static final int METHODID_GET_TOOL_DEFINITIONS = 0;
  private static final int METHODID_CALL_TOOL = 1;

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
        case METHODID_GET_TOOL_DEFINITIONS:
          serviceImpl.getToolDefinitions((io.github.toolresult.v1.GetToolDefinitionsRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.GetToolDefinitionsResponse>) responseObserver);
          break;
        case METHODID_CALL_TOOL:
          serviceImpl.callTool((io.github.toolresult.v1.CallToolRequest) request,
              (io.grpc.stub.StreamObserver<io.github.toolresult.v1.CallToolResponse>) responseObserver);
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
          getGetToolDefinitionsMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.GetToolDefinitionsRequest,
              io.github.toolresult.v1.GetToolDefinitionsResponse>(
                service, METHODID_GET_TOOL_DEFINITIONS)))
        .addMethod(
          getCallToolMethod(),
          io.grpc.stub.ServerCalls.asyncUnaryCall(
            new MethodHandlers<
              io.github.toolresult.v1.CallToolRequest,
              io.github.toolresult.v1.CallToolResponse>(
                service, METHODID_CALL_TOOL)))
        .build();
  }

  private static abstract class ToolServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoFileDescriptorSupplier, io.grpc.protobuf.ProtoServiceDescriptorSupplier {
    ToolServiceBaseDescriptorSupplier() {}

    @java.lang.Override
    public com.google.protobuf.Descriptors.FileDescriptor getFileDescriptor() {
      return io.github.toolresult.v1.ToolProto.getDescriptor();
    }

    @java.lang.Override
    public com.google.protobuf.Descriptors.ServiceDescriptor getServiceDescriptor() {
      return getFileDescriptor().findServiceByName("ToolService");
    }
  }

  private static final class ToolServiceFileDescriptorSupplier
      extends ToolServiceBaseDescriptorSupplier {
    ToolServiceFileDescriptorSupplier() {}
  }

  private static final class ToolServiceMethodDescriptorSupplier
      extends ToolServiceBaseDescriptorSupplier
      implements io.grpc.protobuf.ProtoMethodDescriptorSupplier {
    private final java.lang.String methodName;

    ToolServiceMethodDescriptorSupplier(java.lang.String methodName) {
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
      synchronized (ToolServiceGrpc.class) {
        result = serviceDescriptor;
        if (result == null) {
          serviceDescriptor = result = io.grpc.ServiceDescriptor.newBuilder(SERVICE_NAME)
              .setSchemaDescriptor(new ToolServiceFileDescriptorSupplier())
              .addMethod(getGetToolDefinitionsMethod())
              .addMethod(getCallToolMethod())
              .build();
        }
      }
    }
    return result;
  }
}
