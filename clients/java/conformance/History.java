package io.github.toolresult.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.github.toolresult.example.Sidecar;
import io.github.toolresult.v1.CompactEntry;
import io.github.toolresult.v1.CompactRequest;
import io.github.toolresult.v1.CompactResponse;
import io.github.toolresult.v1.CompactionLevel;
import io.github.toolresult.v1.CompactionPolicy;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.ProtectionPolicy;
import io.grpc.StatusException;
import java.util.Map;

/** History compacts saved results. */
final class History {
  private static final Map<String, CompactionLevel> LEVELS =
      Map.of(
          "trimmed", CompactionLevel.COMPACTION_LEVEL_TRIMMED,
          "handles", CompactionLevel.COMPACTION_LEVEL_HANDLES,
          "line", CompactionLevel.COMPACTION_LEVEL_LINE);

  private History() {}

  static JsonObject compact(Sidecar sidecar, Arguments with, Map<String, ProjectResponse> saved)
      throws StatusException {
    CompactionPolicy.Builder policy =
        CompactionPolicy.newBuilder()
            .setTotalTokens(with.number("total_tokens"))
            .setPreviewTokens(with.number("preview_tokens"))
            .setProtect(
                ProtectionPolicy.newBuilder().setLastTurns(with.number("protect_last_turns")));
    if (with.has("level")) {
      policy.setLevel(LEVELS.get(with.text("level")));
    }
    CompactRequest.Builder request =
        CompactRequest.newBuilder()
            .setSessionId(with.has("session") ? with.text("session") : sidecar.session())
            .setDryRun(with.flag("dry_run"))
            .setPolicy(policy);
    for (Arguments entry : with.objects("entries")) {
      request.addEntries(
          CompactEntry.newBuilder()
              .setCanonical(saved.get(entry.text("result").substring(1)).getCanonical())
              .setCallId(entry.text("call_id"))
              .setTurn(entry.number("turn"))
              .setSubject(entry.text("subject")));
    }
    return answer(sidecar.results().compact(request.build()));
  }

  private static JsonObject answer(CompactResponse response) {
    JsonArray changed = new JsonArray();
    for (var result : response.getResultsList()) {
      JsonObject one = new JsonObject();
      one.addProperty("index", result.getIndex());
      one.addProperty("receipt", result.getReceipt().getText());
      changed.add(one);
    }
    JsonObject answer = new JsonObject();
    answer.add("changed", changed);
    answer.add(
        "first_changed",
        response.hasFirstChanged()
            ? new JsonPrimitive(response.getFirstChanged())
            : JsonNull.INSTANCE);
    answer.addProperty("tokens_before", response.getPlan().getTokensBefore());
    answer.addProperty("tokens_after", response.getPlan().getTokensAfter());
    answer.addProperty("budget_met", response.getPlan().getBudgetMet());
    answer.add(
        "overview",
        response.hasOverview()
            ? new JsonPrimitive(response.getOverview().getText())
            : JsonNull.INSTANCE);
    return answer;
  }
}
