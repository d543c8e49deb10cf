package io.github.toolresult.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.github.toolresult.example.Artifacts;
import io.github.toolresult.example.CommandStream;
import io.github.toolresult.example.Projector;
import io.github.toolresult.example.Sidecar;
import io.github.toolresult.example.ToolStream;
import io.github.toolresult.v1.CompleteToolError;
import io.github.toolresult.v1.CompleteToolOutput;
import io.github.toolresult.v1.GetServerInfoRequest;
import io.github.toolresult.v1.ProjectRequest;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.RegisterSecretsRequest;
import io.github.toolresult.v1.RegisteredSecret;
import io.github.toolresult.v1.RenderRequest;
import io.github.toolresult.v1.StreamHeader;
import io.github.toolresult.v1.TextOutput;
import io.github.toolresult.v1.ToolStatus;
import io.grpc.StatusException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Calls makes the calls of the list that project, and those about the sidecar. */
final class Calls implements AutoCloseable {
  private final Map<String, ProjectResponse> saved = new HashMap<>();
  private final Map<String, Call> calls = new HashMap<>();
  private Sidecar sidecar;
  private Projector projector;
  private CommandStream command;

  /** Call makes one call. */
  @FunctionalInterface
  interface Call {
    JsonObject make(Arguments with, String save) throws StatusException;
  }

  Calls() {
    calls.put("connect", (with, save) -> connect(with));
    calls.put("close", (with, save) -> closed());
    calls.put("project_text", (with, save) -> project(with, save, text(with)));
    calls.put("project_command", this::projectCommand);
    calls.put("project_error", (with, save) -> project(with, save, error(with)));
    calls.put("stream", this::stream);
    calls.put("stream_open", (with, save) -> streamOpen(with));
    calls.put("stream_write", (with, save) -> streamWrite(with));
    calls.put("stream_snapshot", (with, save) -> answer(save, command.snapshot(with.text("task_id"))));
    calls.put("stream_finish", (with, save) -> answer(save, command.finish(with.command())));
    calls.put("render", (with, save) -> render(with));
    calls.put("compact", (with, save) -> History.compact(sidecar, with, saved));
    calls.put("read", (with, save) -> Reading.read(sidecar, with));
    calls.put("encode_turn", (with, save) -> Turns.encode(sidecar, with, saved));
    calls.put("tool_definitions", (with, save) -> Turns.toolDefinitions(sidecar, with));
    calls.put("call_tool", (with, save) -> Turns.callTool(sidecar, with));
    calls.put("register_secrets", (with, save) -> registerSecrets(with));
    calls.put("info", (with, save) -> info());
    calls.put("health", (with, save) -> health());
    calls.put("raw_info", (with, save) -> rawInfo());
  }

  JsonObject make(String name, Arguments with, String save) throws StatusException {
    Call call = calls.get(name);
    if (call == null) {
      throw new IllegalArgumentException("there is no call " + name);
    }
    return call.make(with, save);
  }

  @Override
  public void close() {
    if (sidecar != null) {
      sidecar.close();
    }
  }

  private JsonObject connect(Arguments with) throws StatusException {
    close();
    sidecar =
        Sidecar.builder()
            .address(with.text("address"))
            .token(with.text("token"))
            .session(with.text("session"))
            .start(with.flag("start"))
            .timeout(Duration.ofMillis(with.number("timeout_ms")))
            .connect();
    projector = new Projector(sidecar);
    JsonObject answer = new JsonObject();
    answer.addProperty("address", sidecar.address());
    return answer;
  }

  private JsonObject closed() {
    close();
    return new JsonObject();
  }

  private static CompleteToolOutput text(Arguments with) {
    return CompleteToolOutput.newBuilder()
        .setToolName(with.text("tool"))
        .setText(
            TextOutput.newBuilder()
                .setContent(with.payload("text"))
                .setMediaType(with.text("media_type")))
        .build();
  }

  private JsonObject projectCommand(Arguments with, String save) throws StatusException {
    String tool = with.has("tool") ? with.text("tool") : "exec_command";
    return project(
        with,
        save,
        CompleteToolOutput.newBuilder().setToolName(tool).setCommand(with.command()).build());
  }

  private static CompleteToolOutput error(Arguments with) {
    CompleteToolError.Builder error =
        CompleteToolError.newBuilder()
            .setKind(with.text("kind"))
            .setMessage(with.payload("message"));
    if (with.has("details")) {
      error.setDetails(with.payload("details"));
    }
    if (with.has("recovery_hint")) {
      error.setRecoveryHint(with.text("recovery_hint"));
    }
    if (with.has("retryable")) {
      error.setRetryable(with.flag("retryable"));
    }
    return CompleteToolOutput.newBuilder().setToolName(with.text("tool")).setError(error).build();
  }

  private JsonObject project(Arguments with, String save, CompleteToolOutput output)
      throws StatusException {
    ProjectRequest.Builder request = ProjectRequest.newBuilder().setOutput(output);
    if (with.has("max_tokens")) {
      request.setPolicy(with.policy());
    }
    if (with.has("session") || with.has("call_id")) {
      request.setCall(with.call());
    }
    boolean none = with.has("request_id") && with.text("request_id").isEmpty();
    Projector by = none ? projector.withoutRequestIds() : projector;
    return answer(save, by.project(request.setRequestId(with.text("request_id")).build()));
  }

  private JsonObject answer(String save, ProjectResponse result) {
    if (!save.isEmpty()) {
      saved.put(save, result);
    }
    JsonArray artifacts = new JsonArray();
    Artifacts.of(result.getCanonical()).forEach(artifacts::add);
    JsonObject answer = new JsonObject();
    answer.addProperty("receipt", result.getReceipt().getText());
    answer.addProperty("tokens", result.getReceipt().getTokens());
    answer.addProperty("family", result.getFamily());
    answer.addProperty(
        "failed", result.getCanonical().getStatus() == ToolStatus.TOOL_STATUS_ERROR);
    answer.add("artifacts", artifacts);
    return answer;
  }

  private StreamHeader header(Arguments with) {
    StreamHeader.Builder header = StreamHeader.newBuilder().setPolicy(with.policy());
    if (with.has("session") || with.has("call_id")) {
      header.setCall(with.call());
    }
    return header.build();
  }

  private JsonObject streamOpen(Arguments with) throws StatusException {
    command =
        new CommandStream(sidecar, header(with), with.text("tool"), with.text("command_line"));
    return new JsonObject();
  }

  private JsonObject streamWrite(Arguments with) throws StatusException {
    command.write(with.text("stream"), with.bytes("data"));
    return new JsonObject();
  }

  private JsonObject stream(Arguments with, String save) throws StatusException {
    if (with.text("family").equals("text")) {
      return textStream(with, save);
    }
    streamOpen(with);
    try (CommandStream open = command) {
      JsonArray snapshots = new JsonArray();
      for (Arguments write : with.objects("writes")) {
        if (write.has("snapshot")) {
          snapshots.add(open.snapshot(write.text("snapshot")).getReceipt().getText());
        } else {
          streamWrite(write);
        }
      }
      if (!with.has("finish")) {
        return new JsonObject();
      }
      JsonObject answer = answer(save, open.finish(with.object("finish").command()));
      answer.add("snapshots", snapshots);
      return answer;
    }
  }

  private JsonObject textStream(Arguments with, String save) throws StatusException {
    StreamHeader header =
        header(with).toBuilder()
            .setFamily("text")
            .setToolName(with.text("tool"))
            .addStreams("output")
            .build();
    CompleteToolOutput output =
        CompleteToolOutput.newBuilder()
            .setToolName(with.text("tool"))
            .setText(TextOutput.newBuilder().setContent(ToolStream.streamed("output")))
            .build();
    try (ToolStream stream = new ToolStream(sidecar, header)) {
      JsonArray snapshots = new JsonArray();
      for (Arguments write : with.objects("writes")) {
        if (write.has("snapshot")) {
          snapshots.add(stream.snapshot(output).getReceipt().getText());
        } else {
          stream.write("output", ByteString.copyFrom(write.bytes("data")));
        }
      }
      if (!with.has("finish")) {
        return new JsonObject();
      }
      JsonObject answer = answer(save, stream.finish(output));
      answer.add("snapshots", snapshots);
      return answer;
    }
  }

  private JsonObject render(Arguments with) throws StatusException {
    ProjectResponse result = saved.get(with.text("result").substring(1));
    var receipt =
        sidecar
            .results()
            .render(
                RenderRequest.newBuilder()
                    .setCanonical(result.getCanonical())
                    .setPolicy(with.renderPolicy())
                    .build())
            .getReceipt();
    JsonObject answer = new JsonObject();
    answer.addProperty("receipt", receipt.getText());
    answer.addProperty("tokens", receipt.getTokens());
    return answer;
  }

  private JsonObject registerSecrets(Arguments with) throws StatusException {
    RegisterSecretsRequest.Builder request =
        RegisterSecretsRequest.newBuilder().setSessionId(with.text("session"));
    Arguments values = with.object("values");
    for (String name : values.json().keySet()) {
      request.addSecrets(
          RegisteredSecret.newBuilder()
              .setName(name)
              .setValue(ByteString.copyFrom(values.bytes(name))));
    }
    JsonObject answer = new JsonObject();
    answer.addProperty("set_id", sidecar.access().registerSecrets(request.build()).getSetId());
    return answer;
  }

  private JsonObject info() throws StatusException {
    var info = sidecar.results().getServerInfo(GetServerInfoRequest.getDefaultInstance());
    JsonArray families = new JsonArray();
    info.getFamiliesList().forEach(families::add);
    JsonObject answer = new JsonObject();
    answer.add("families", families);
    answer.addProperty("durability", info.getDurability().name());
    return answer;
  }

  private JsonObject health() {
    var status = sidecar.health().check(HealthCheckRequest.getDefaultInstance()).getStatus();
    JsonObject answer = new JsonObject();
    answer.addProperty("serving", status == ServingStatus.SERVING);
    return answer;
  }

  private JsonObject rawInfo() throws StatusException {
    var info = sidecar.results().getServerInfo(GetServerInfoRequest.getDefaultInstance());
    JsonObject answer = new JsonObject();
    answer.addProperty("version_is_set", !info.getVersion().isEmpty());
    return answer;
  }
}
