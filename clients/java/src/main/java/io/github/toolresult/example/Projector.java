package io.github.toolresult.example;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.github.toolresult.v1.CommandOutput;
import io.github.toolresult.v1.CompleteToolOutput;
import io.github.toolresult.v1.CompleteToolOutput.ResultCase;
import io.github.toolresult.v1.ErrorReason;
import io.github.toolresult.v1.Payload;
import io.github.toolresult.v1.ProjectRequest;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.StreamHeader;
import io.github.toolresult.v1.TextOutput;
import io.grpc.StatusException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * Projector turns the complete output of a tool into a receipt for the model and a canonical result
 * for the runtime. Output of any size is taken. It is safe for concurrent use.
 *
 * <p>Each call gets a request id, so that gRPC can make it again and get the same answer.
 */
public final class Projector {
  private static final int MAX_MESSAGE = 1 << 20; // bytes of an output in one message

  private static final int MAX_FOCUS = 8 << 10; // bytes

  private final Sidecar sidecar;
  private volatile boolean requestIds; // the sidecar keeps an audit log, and takes them
  private volatile String task = ""; // that the agent looks for

  /** Makes a projector that gives each call a request id. */
  public Projector(Sidecar sidecar) {
    this(sidecar, true);
  }

  private Projector(Sidecar sidecar, boolean requestIds) {
    this.sidecar = sidecar;
    this.requestIds = requestIds;
  }

  /** Returns a projector that gives calls no request id. */
  public Projector withoutRequestIds() {
    Projector other = new Projector(sidecar, false);
    other.task = task;
    return other;
  }

  /**
   * Says what the agent looks for in the outputs that are projected from now on: its task, its
   * question, its last message. It comes before the focus of a policy. Of a long one the beginning
   * counts: both have at most 8 KiB.
   */
  public void setTask(String task) {
    this.task = task;
  }

  /** Projects what a tool answered. */
  public ProjectResponse projectText(String tool, String text) throws StatusException {
    return projectText(tool, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Projects what a tool answered: any bytes. */
  public ProjectResponse projectText(String tool, byte[] text) throws StatusException {
    return project(
        CompleteToolOutput.newBuilder()
            .setToolName(tool)
            .setText(TextOutput.newBuilder().setContent(inline(text)))
            .build());
  }

  /** Projects what a command printed, and how it ended. */
  public ProjectResponse projectCommand(CommandOutput command) throws StatusException {
    return project(
        CompleteToolOutput.newBuilder().setToolName("exec_command").setCommand(command).build());
  }

  /** Projects the output of a tool of any family, or its error. */
  public ProjectResponse project(CompleteToolOutput output) throws StatusException {
    return project(ProjectRequest.newBuilder().setOutput(output).build());
  }

  /**
   * Projects an output under a policy, for a call.
   *
   * @param request what it does not say is added: the session of the connection, and a request id
   * @throws StatusException with what {@link Rejection} reads
   */
  public ProjectResponse project(ProjectRequest request) throws StatusException {
    ProjectRequest.Builder call = request.toBuilder();
    if (request.getCall().getSessionId().isEmpty() && !sidecar.session().isEmpty()) {
      call.getCallBuilder().setSessionId(sidecar.session());
    }
    if (!task.isEmpty()) {
      call.getPolicyBuilder().setFocus(joinFocus(task, request.getPolicy().getFocus()));
    }
    if (request.getOutput().getSerializedSize() > MAX_MESSAGE) {
      return projectStreamed(call.build()); // which gRPC never makes again by itself
    }
    boolean ours = requestIds && request.getRequestId().isEmpty();
    if (ours) {
      call.setRequestId(UUID.randomUUID().toString());
    }
    try {
      return sidecar.results().project(call.build());
    } catch (StatusException e) {
      if (!ours || Rejection.of(e).reason() != ErrorReason.ERROR_REASON_AUDIT_DISABLED) {
        throw e;
      }
      requestIds = false;
      return sidecar.results().project(call.clearRequestId().build());
    }
  }

  /**
   * Puts a task before a focus, or as much of its beginning as there is space for. A focus that is
   * too long is for the sidecar to reject.
   */
  static String joinFocus(String task, String focus) {
    String end = focus.isEmpty() ? "" : "\n" + focus;
    int space = MAX_FOCUS - end.getBytes(StandardCharsets.UTF_8).length;
    int n = 0;
    while (n < task.length()) {
      int character = task.codePointAt(n);
      space -= character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
      if (space < 0) {
        break;
      }
      n += Character.charCount(character);
    }
    return n == 0 ? focus : task.substring(0, n) + end;
  }

  /** Returns a payload with the bytes of a text. */
  public static Payload inline(String text) {
    return inline(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a payload with bytes, whatever they are. */
  public static Payload inline(byte[] bytes) {
    return Payload.newBuilder().setInline(ByteString.copyFrom(bytes)).build();
  }

  /** Sends an output whose payloads are too large for one message. */
  private ProjectResponse projectStreamed(ProjectRequest request) throws StatusException {
    List<ByteString> payloads = new ArrayList<>();
    var output = (CompleteToolOutput) takePayloads(request.getOutput(), payloads);
    StreamHeader.Builder header =
        StreamHeader.newBuilder()
            .setFamily(family(output))
            .setCommandLine(output.getCommand().getCommandLine())
            .setRequestId(request.getRequestId())
            .setCanonicalForm(request.getCanonicalForm())
            .setToolName(output.getToolName());
    if (request.hasPolicy()) {
      header.setPolicy(request.getPolicy());
    }
    if (request.hasCall()) {
      header.setCall(request.getCall());
    }
    if (request.hasAudit()) {
      header.setAudit(request.getAudit());
    }
    for (int i = 0; i < payloads.size(); i++) {
      header.addStreams(streamName(i));
    }
    try (ToolStream stream = new ToolStream(sidecar, header.build())) {
      for (int i = 0; i < payloads.size(); i++) {
        stream.write(streamName(i), payloads.get(i));
      }
      return stream.finish(output);
    }
  }

  private static String streamName(int payload) {
    return "payload-" + payload;
  }

  /** Returns the message with streams in place of the bytes of payloads, which it takes. */
  private static Message takePayloads(Message message, List<ByteString> taken) {
    if (message instanceof Payload payload) {
      if (!payload.hasInline()) {
        return payload;
      }
      taken.add(payload.getInline());
      return payload.toBuilder().setStream(streamName(taken.size() - 1)).build();
    }
    Message.Builder copy = message.toBuilder();
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      if (field.getJavaType() != JavaType.MESSAGE || field.isMapField()) {
        continue;
      }
      if (!field.isRepeated()) {
        copy.setField(field, takePayloads((Message) message.getField(field), taken));
        continue;
      }
      for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
        var element = (Message) message.getRepeatedField(field, i);
        copy.setRepeatedField(field, i, takePayloads(element, taken));
      }
    }
    return copy.build();
  }

  /** Returns the family of an output, as GetServerInfo names it. */
  private static String family(CompleteToolOutput output) {
    if (output.hasCustom()) {
      return output.getCustom().getType();
    }
    ResultCase set = output.getResultCase();
    if (set == ResultCase.RESULT_NOT_SET) {
      return "text"; // any family may have an error
    }
    return set.name().toLowerCase(Locale.ROOT);
  }
}
