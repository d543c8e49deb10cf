package io.github.toolresult.conformance;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.toolresult.example.NoSidecarException;
import io.github.toolresult.example.Rejection;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Driver is the one of the Java client for the list of integration/conformance: it reads a call from
 * each line of its standard input, makes it, and writes what it got as a line. It knows no
 * expectations.
 */
public final class Driver {
  private static final Gson JSON =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private final Calls calls = new Calls();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "deadlines");
            thread.setDaemon(true);
            return thread;
          });

  private Driver() {}

  /** Runs the driver until the end of its input. */
  public static void main(String[] args) throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 20);
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    Driver driver = new Driver();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonObject reply = driver.reply(JsonParser.parseString(line).getAsJsonObject());
      out.print(JSON.toJson(reply) + "\n");
      out.flush();
    }
    driver.calls.close();
  }

  private JsonObject reply(JsonObject request) {
    JsonObject reply = new JsonObject();
    try {
      reply.add("answer", call(request));
    } catch (Exception e) {
      reply.add("error", describe(e));
    }
    return reply;
  }

  /** Makes a call, within its time if it has one. */
  private JsonObject call(JsonObject request) throws Exception {
    String name = request.get("call").getAsString();
    Arguments with =
        new Arguments(request.has("with") ? request.getAsJsonObject("with") : new JsonObject());
    String save = request.has("save") ? request.get("save").getAsString() : "";
    if (name.equals("time")) { // it makes others
      return time(with);
    }
    if (!with.has("timeout_ms") || name.equals("connect")) {
      return calls.make(name, with, save);
    }
    long nanos = (long) (with.element("timeout_ms").getAsDouble() * 1e6);
    try (var context =
        Context.current().withDeadlineAfter(nanos, TimeUnit.NANOSECONDS, clock)) {
      return context.call(() -> calls.make(name, with, save));
    }
  }

  /** Makes a call many times, one after the other. */
  private JsonObject time(Arguments with) throws Exception {
    JsonObject request = with.object("call").json();
    for (int i = 0; i < with.number("warmup"); i++) {
      call(request);
    }
    long[] nanos = new long[with.number("times")];
    for (int i = 0; i < nanos.length; i++) {
      long began = System.nanoTime();
      call(request);
      nanos[i] = System.nanoTime() - began;
    }
    Arrays.sort(nanos);
    JsonObject answer = new JsonObject();
    answer.addProperty("p50_us", nanos[(int) (0.5 * (nanos.length - 1))] / 1e3);
    answer.addProperty("p95_us", nanos[(int) (0.95 * (nanos.length - 1))] / 1e3);
    return answer;
  }

  /** Returns an error as the list has it. */
  private static JsonObject describe(Exception thrown) {
    JsonObject error = new JsonObject();
    if (!(thrown instanceof StatusException || thrown instanceof StatusRuntimeException)) {
      error.addProperty("class", "ArgumentError");
      error.addProperty("message", thrown.toString());
      return error;
    }
    Rejection why = Rejection.of(thrown);
    error.addProperty("class", className(thrown, why) + "Error");
    error.addProperty("reason", why.reasonName());
    error.addProperty("field", why.field());
    error.addProperty("hint", why.hint());
    error.addProperty("retryable", why.retryable());
    error.addProperty("message", why.message());
    error.addProperty("code", why.code().name());
    return error;
  }

  private static String className(Exception thrown, Rejection why) {
    if (thrown instanceof NoSidecarException) {
      return "NoSidecar";
    }
    if (why.reasonName().isEmpty()) {
      return why.code() == Status.Code.UNAVAILABLE ? "Unavailable" : "ToolResult";
    }
    StringBuilder name = new StringBuilder();
    for (String word : why.reasonName().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return name.toString();
  }
}
