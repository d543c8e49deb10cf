package io.github.toolresult.conformance;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.github.toolresult.example.Sidecar;
import io.github.toolresult.v1.AroundLine;
import io.github.toolresult.v1.ByteRange;
import io.github.toolresult.v1.LineRange;
import io.github.toolresult.v1.MatchingLines;
import io.github.toolresult.v1.ReadArtifactRequest;
import io.github.toolresult.v1.ReadArtifactResponse;
import io.github.toolresult.v1.ReadBudget;
import io.github.toolresult.v1.TailLines;
import io.grpc.StatusException;
import java.util.Base64;

/** Reading reads parts of artifacts. */
final class Reading {
  private Reading() {}

  static JsonObject read(Sidecar sidecar, Arguments with) throws StatusException {
    ReadArtifactRequest.Builder request = request(with);
    if (!with.has("session")) {
      request.setSessionId(sidecar.session());
    }
    ByteString data = ByteString.EMPTY;
    int pages = 0;
    ReadArtifactResponse page;
    do {
      page = sidecar.artifacts().readArtifact(request.build());
      data = data.concat(page.getData());
      pages++;
      request.setPageToken(page.getNextPageToken());
    } while (with.flag("all_pages") && !page.getComplete());
    JsonObject answer = new JsonObject();
    if (data.isValidUtf8()) {
      answer.addProperty("data", data.toStringUtf8());
    } else {
      JsonObject bytes = new JsonObject();
      bytes.addProperty("base64", Base64.getEncoder().encodeToString(data.toByteArray()));
      answer.add("data", bytes);
    }
    answer.addProperty("complete", page.getComplete());
    answer.addProperty("has_next", !page.getNextPageToken().isEmpty());
    answer.addProperty("pages", pages);
    return answer;
  }

  private static ReadArtifactRequest.Builder request(Arguments with) {
    ReadArtifactRequest.Builder request =
        ReadArtifactRequest.newBuilder()
            .setPath(with.text("path"))
            .setSessionId(with.text("session"))
            .setPageToken(with.text("page_token"))
            .setBudget(
                ReadBudget.newBuilder()
                    .setMaxBytes(with.number("max_bytes"))
                    .setMaxLines(with.number("max_lines")));
    int context = with.number("context");
    if (with.has("lines")) {
      request.setLines(
          LineRange.newBuilder().setFirst(with.at("lines", 0)).setLast(with.at("lines", 1)));
    } else if (with.has("bytes")) {
      request.setBytes(
          ByteRange.newBuilder().setStart(with.at("bytes", 0)).setEnd(with.at("bytes", 1)));
    } else if (with.has("around")) {
      int n = (int) with.at("around", 1);
      request.setAround(
          AroundLine.newBuilder().setLine(with.at("around", 0)).setBefore(n).setAfter(n));
    } else if (with.has("tail")) {
      request.setTail(TailLines.newBuilder().setLines(with.number("tail")));
    } else if (with.has("match")) {
      request.setMatch(
          MatchingLines.newBuilder()
              .setPattern(with.text("match"))
              .setBefore(context)
              .setAfter(context));
    } else if (with.has("pointer")) {
      request.setJsonPointer(with.text("pointer"));
    }
    return request;
  }
}
