package io.github.toolresult.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.toolresult.example.Sidecar;
import io.github.toolresult.v1.AssistantTurn;
import io.github.toolresult.v1.CallReference;
import io.github.toolresult.v1.CallToolRequest;
import io.github.toolresult.v1.EncodeTurnRequest;
import io.github.toolresult.v1.EncodeTurnResponse;
import io.github.toolresult.v1.GetToolDefinitionsRequest;
import io.github.toolresult.v1.ParsedToolCall;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.Provider;
import io.github.toolresult.v1.ToolStatus;
import io.github.toolresult.v1.TurnResult;
import io.grpc.StatusException;
import java.util.Map;

/** Turns makes messages for providers, and executes the calls of read_result. */
final class Turns {
  private static final Map<String, Provider> PROVIDERS =
      Map.of(
          "chat", Provider.PROVIDER_CHAT,
          "openai-chat", Provider.PROVIDER_OPENAI_CHAT,
          "openai-responses", Provider.PROVIDER_OPENAI_RESPONSES,
          "anthropic", Provider.PROVIDER_ANTHROPIC_MESSAGES,
          "gemini", Provider.PROVIDER_GEMINI,
          "bedrock", Provider.PROVIDER_BEDROCK_CONVERSE,
          "mistral", Provider.PROVIDER_MISTRAL,
          "ollama", Provider.PROVIDER_OLLAMA);

  private Turns() {}

  static JsonObject encode(Sidecar sidecar, Arguments with, Map<String, ProjectResponse> saved)
      throws StatusException {
    AssistantTurn.Builder assistant = AssistantTurn.newBuilder().setContent(with.text("content"));
    for (Arguments call : with.objects("calls")) {
      JsonElement arguments = call.element("arguments");
      assistant.addToolCalls(
          ParsedToolCall.newBuilder()
              .setServer(call.text("server"))
              .setTool(call.text("tool"))
              .setArguments(arguments.isJsonObject() ? arguments.toString() : arguments.getAsString())
              .setId(call.text("id")));
    }
    EncodeTurnRequest.Builder request =
        EncodeTurnRequest.newBuilder()
            .setProvider(PROVIDERS.get(with.text("provider")))
            .setAssistant(assistant)
            .setUserText(with.text("user_text"))
            .setSessionId(with.has("session") ? with.text("session") : sidecar.session());
    for (Arguments result : with.objects("results")) {
      request.addResults(result(result, saved));
    }
    if (with.has("notices")) {
      with.element("notices").getAsJsonArray().forEach(n -> request.addNotices(n.getAsString()));
    }
    return answer(sidecar.transport().encodeTurn(request.build()));
  }

  private static TurnResult result(Arguments with, Map<String, ProjectResponse> saved) {
    TurnResult.Builder result = TurnResult.newBuilder().setCallId(with.text("call_id"));
    if (with.has("result")) {
      ProjectResponse projected = saved.get(with.text("result").substring(1));
      return result
          .setCanonical(projected.getCanonical())
          .setReceipt(projected.getReceipt())
          .build();
    }
    if (with.flag("error")) {
      result.setStatus(ToolStatus.TOOL_STATUS_ERROR);
    }
    return result.setText(with.text("text")).build();
  }

  private static JsonObject answer(EncodeTurnResponse response) {
    JsonArray messages = new JsonArray();
    response.getMessagesJsonList().forEach(text -> messages.add(JsonParser.parseString(text)));
    JsonArray changes = new JsonArray();
    response.getChangesList().forEach(change -> changes.add(change.getChange().name()));
    JsonObject answer = new JsonObject();
    answer.add("messages", messages);
    answer.addProperty("native", response.getNative());
    answer.add("changes", changes);
    return answer;
  }

  static JsonObject toolDefinitions(Sidecar sidecar, Arguments with) throws StatusException {
    var request =
        GetToolDefinitionsRequest.newBuilder()
            .setProvider(PROVIDERS.get(with.text("provider")))
            .build();
    JsonArray names = new JsonArray();
    sidecar
        .tools()
        .getToolDefinitions(request)
        .getToolsList()
        .forEach(tool -> names.add(tool.getName()));
    JsonObject answer = new JsonObject();
    answer.add("names", names);
    return answer;
  }

  static JsonObject callTool(Sidecar sidecar, Arguments with) throws StatusException {
    String session = with.has("session") ? with.text("session") : sidecar.session();
    var response =
        sidecar
            .tools()
            .callTool(
                CallToolRequest.newBuilder()
                    .setName(with.text("name"))
                    .setArgumentsJson(with.element("arguments").toString())
                    .setCall(
                        CallReference.newBuilder()
                            .setSessionId(session)
                            .setCallId(with.text("call_id")))
                    .build());
    JsonObject answer = new JsonObject();
    answer.addProperty("receipt", response.getReceipt().getText());
    return answer;
  }
}
