package io.github.toolresult.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.github.toolresult.v1.Budget;
import io.github.toolresult.v1.CallReference;
import io.github.toolresult.v1.CommandDisposition;
import io.github.toolresult.v1.CommandOutput;
import io.github.toolresult.v1.Payload;
import io.github.toolresult.v1.ProjectionPolicy;
import io.github.toolresult.v1.RenderPolicy;
import io.github.toolresult.example.Projector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Arguments are those of a call of the list. Texts are absent, or empty, as "". */
record Arguments(JsonObject json) {
  boolean has(String name) {
    return json.has(name) && json.get(name) != JsonNull.INSTANCE;
  }

  JsonElement element(String name) {
    return json.get(name);
  }

  String text(String name) {
    return has(name) ? json.get(name).getAsString() : "";
  }

  int number(String name) {
    return has(name) ? json.get(name).getAsInt() : 0;
  }

  boolean flag(String name) {
    return has(name) && json.get(name).getAsBoolean();
  }

  /** Returns a member of a list of numbers. */
  long at(String name, int index) {
    return json.getAsJsonArray(name).get(index).getAsLong();
  }

  /** Returns the bytes of a text, or of {"base64": ...}. */
  byte[] bytes(String name) {
    if (json.get(name).isJsonObject()) {
      return Base64.getDecoder().decode(json.getAsJsonObject(name).get("base64").getAsString());
    }
    return text(name).getBytes(StandardCharsets.UTF_8);
  }

  Arguments object(String name) {
    return new Arguments(json.getAsJsonObject(name));
  }

  List<Arguments> objects(String name) {
    List<Arguments> objects = new ArrayList<>();
    for (JsonElement element : has(name) ? json.getAsJsonArray(name) : new JsonArray()) {
      objects.add(new Arguments(element.getAsJsonObject()));
    }
    return objects;
  }

  /** Returns the payload of a text; null: it is absent. */
  Payload payload(String name) {
    return has(name) ? Projector.inline(bytes(name)) : null;
  }

  CallReference call() {
    return CallReference.newBuilder()
        .setSessionId(text("session"))
        .setCallId(text("call_id"))
        .build();
  }

  RenderPolicy renderPolicy() {
    RenderPolicy.Builder policy = RenderPolicy.newBuilder();
    if (has("max_tokens")) {
      policy.setBudget(Budget.newBuilder().setMaxTokens(number("max_tokens")));
    }
    return policy.build();
  }

  ProjectionPolicy policy() {
    return ProjectionPolicy.newBuilder().setRender(renderPolicy()).build();
  }

  /** Returns the command that the arguments describe. */
  CommandOutput command() {
    CommandOutput.Builder command = CommandOutput.newBuilder().setCommandLine(text("command_line"));
    if (has("exit_status")) {
      command.setExitStatus(number("exit_status"));
    }
    if (has("signal")) {
      command.setSignal(number("signal"));
    }
    if (has("stdout")) {
      command.setStdout(payload("stdout"));
    }
    if (has("stderr")) {
      command.setStderr(payload("stderr"));
    }
    if (has("output")) {
      command.setCombinedOutput(payload("output"));
    }
    if (has("timed_out_ms")) {
      command.setDisposition(CommandDisposition.COMMAND_DISPOSITION_TIMED_OUT);
      command.setTimeoutMs(number("timed_out_ms"));
    } else if (flag("cancelled")) {
      command.setDisposition(CommandDisposition.COMMAND_DISPOSITION_CANCELLED);
    }
    return command.build();
  }
}
