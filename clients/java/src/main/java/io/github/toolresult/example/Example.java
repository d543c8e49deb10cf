package io.github.toolresult.example;

import io.github.toolresult.v1.AssistantTurn;
import io.github.toolresult.v1.Budget;
import io.github.toolresult.v1.CommandOutput;
import io.github.toolresult.v1.CompleteToolOutput;
import io.github.toolresult.v1.EncodeTurnRequest;
import io.github.toolresult.v1.LineRange;
import io.github.toolresult.v1.ParsedToolCall;
import io.github.toolresult.v1.ProjectRequest;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.ProjectionPolicy;
import io.github.toolresult.v1.Provider;
import io.github.toolresult.v1.ReadArtifactRequest;
import io.github.toolresult.v1.RenderPolicy;
import io.github.toolresult.v1.StreamHeader;
import io.github.toolresult.v1.TextOutput;
import io.github.toolresult.v1.TurnResult;
import io.grpc.StatusException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Example makes the calls that an agent loop makes. It finds the sidecar, or starts one where {@code
 * toolresult} is in PATH.
 */
public final class Example {
  private final Sidecar sidecar;
  private final Projector projector;

  private Example(Sidecar sidecar) {
    this.sidecar = sidecar;
    this.projector = new Projector(sidecar);
  }

  /** Runs the example. */
  public static void main(String[] args) throws StatusException {
    try (Sidecar sidecar = Sidecar.builder().start(true).connect()) {
      Example example = new Example(sidecar);
      example.text();
      ProjectResponse failed = example.command();
      example.stream();
      example.readBack();
      example.rejection();
      example.turn(failed);
    }
  }

  /** Any tool that answers a string. */
  private void text() throws StatusException {
    print("A text", projector.projectText("read_notes", "buy milk\nwater the plants\n"));
  }

  /** A command that failed is a result like others: the model has to see it. */
  private ProjectResponse command() throws StatusException {
    ProjectResponse result =
        projector.projectCommand(
            CommandOutput.newBuilder()
                .setCommandLine("make")
                .setExitStatus(2)
                .setCombinedOutput(
                    Projector.inline(
                        "cc -c a.c\na.c:1:1: error: expected ';'\nmake: *** [a.o] Error 1\n"))
                .build());
    print("A command that failed", result);
    return result;
  }

  /** A command that still runs: its output is sent while it is written. */
  private void stream() throws StatusException {
    StreamHeader defaults = StreamHeader.getDefaultInstance();
    try (var stream = new CommandStream(sidecar, defaults, "exec_command", "make serve")) {
      stream.write(CommandStream.OUTPUT, "listening on 8080\n".getBytes(StandardCharsets.UTF_8));
      print("A command that goes on", stream.snapshot("task_1"));
      stream.write(CommandStream.OUTPUT, "bye\n".getBytes(StandardCharsets.UTF_8));
      print("The same command at its end", stream.finish(CommandOutput.newBuilder().setExitStatus(0).build()));
    }
  }

  /** What a receipt does not show is in an artifact. */
  private void readBack() throws StatusException {
    String log =
        IntStream.rangeClosed(1, 20_000)
            .mapToObj(i -> i == 9_001 ? "error: no such symbol" : "compiling unit " + i)
            .collect(Collectors.joining("\n"));
    ProjectResponse result = projector.project(build(log, 200));
    print("A long text in 200 tokens", result);
    var page =
        sidecar
            .artifacts()
            .readArtifact(
                ReadArtifactRequest.newBuilder()
                    .setPath(Artifacts.of(result.getCanonical()).get(0))
                    .setLines(LineRange.newBuilder().setFirst(9_000).setLast(9_002))
                    .build());
    System.out.printf("== Three lines of it%n%s%n", page.getData().toStringUtf8());
  }

  /** A call that is rejected has a reason. Here the budget has no space for what must be kept. */
  private void rejection() throws StatusException {
    try {
      projector.project(build("a line\n".repeat(1_000), 16));
    } catch (StatusException e) {
      Rejection why = Rejection.of(e);
      switch (why.reason()) {
        case ERROR_REASON_BUDGET_TOO_SMALL ->
            System.out.printf("== A rejection%n%s: %s%n%n", why.reasonName(), why.hint());
        default -> throw e;
      }
    }
  }

  /** A call and its result, as messages of a provider: each is one JSON object. */
  private void turn(ProjectResponse result) throws StatusException {
    var call = ParsedToolCall.newBuilder().setTool("exec_command").setArguments("{\"cmd\":\"make\"}");
    var answer =
        TurnResult.newBuilder()
            .setCallId("toolu_1")
            .setCanonical(result.getCanonical())
            .setReceipt(result.getReceipt());
    var turn =
        sidecar
            .transport()
            .encodeTurn(
                EncodeTurnRequest.newBuilder()
                    .setProvider(Provider.PROVIDER_ANTHROPIC_MESSAGES)
                    .setAssistant(AssistantTurn.newBuilder().addToolCalls(call.setId("toolu_1")))
                    .addResults(answer)
                    .build());
    System.out.printf("== A turn%n%s%n", String.join("\n", turn.getMessagesJsonList()));
  }

  /** Returns a request for a text with a budget. */
  private static ProjectRequest build(String text, int maxTokens) {
    var budget = RenderPolicy.newBuilder().setBudget(Budget.newBuilder().setMaxTokens(maxTokens));
    return ProjectRequest.newBuilder()
        .setOutput(
            CompleteToolOutput.newBuilder()
                .setToolName("build")
                .setText(TextOutput.newBuilder().setContent(Projector.inline(text))))
        .setPolicy(ProjectionPolicy.newBuilder().setRender(budget))
        .build();
  }

  private static void print(String title, ProjectResponse result) {
    System.out.printf("== %s%n%s%n%n", title, result.getReceipt().getText());
  }
}
