package io.github.toolresult.example;

import com.google.protobuf.ByteString;
import io.github.toolresult.v1.CommandDisposition;
import io.github.toolresult.v1.CommandOutput;
import io.github.toolresult.v1.CompleteToolOutput;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.StreamHeader;
import io.github.toolresult.v1.TaskHandle;
import io.grpc.StatusException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * CommandStream sends the output of a command that still runs. Write either {@link #OUTPUT}, in
 * which both streams are in the order in which they were written, or {@link #STDOUT} and {@link
 * #STDERR}. It is not safe for concurrent use.
 */
public final class CommandStream implements AutoCloseable {
  /** Names standard output and standard error in one stream. */
  public static final String OUTPUT = "output";

  /** Names standard output. */
  public static final String STDOUT = "stdout";

  /** Names standard error. */
  public static final String STDERR = "stderr";

  private final ToolStream stream;
  private final String tool;
  private final String commandLine;
  private final Set<String> written = new TreeSet<>();

  /**
   * Opens a stream for a command.
   *
   * @param header the policy and the call; its family, streams, tool and command line are set here
   * @param commandLine the command line, by which lines are ranked while they are received; empty:
   *     not known
   */
  public CommandStream(Sidecar sidecar, StreamHeader header, String tool, String commandLine)
      throws StatusException {
    this.tool = tool;
    this.commandLine = commandLine;
    this.stream =
        new ToolStream(
            sidecar,
            header.toBuilder()
                .setFamily("command")
                .setToolName(tool)
                .setCommandLine(commandLine)
                .clearStreams()
                .addAllStreams(List.of(OUTPUT, STDOUT, STDERR))
                .build());
  }

  /**
   * Sends bytes. A stream counts as captured from its first write on, also of no bytes.
   *
   * @throws IllegalArgumentException if there would be both forms of output
   */
  public void write(String name, byte[] data) throws StatusException {
    if (!written.isEmpty() && written.contains(OUTPUT) != name.equals(OUTPUT)) {
      throw new IllegalArgumentException("a command has one output, or stdout and stderr");
    }
    written.add(name);
    stream.write(name, ByteString.copyFrom(data));
  }

  /** Projects what was written until now, as a command that goes on as a background task. */
  public ProjectResponse snapshot(String taskId) throws StatusException {
    return stream.snapshot(
        output(
            CommandOutput.newBuilder()
                .setDisposition(CommandDisposition.COMMAND_DISPOSITION_PROMOTED_TO_TASK)
                .setTaskHandle(TaskHandle.newBuilder().setTaskId(taskId))
                .setInitialOutput(
                    ToolStream.streamed(written.contains(STDOUT) ? STDOUT : OUTPUT))));
  }

  /** Ends the stream with how the command ended. Its output is what was written. */
  public ProjectResponse finish(CommandOutput end) throws StatusException {
    CommandOutput.Builder command =
        end.toBuilder().clearStdout().clearStderr().clearCombinedOutput();
    if (written.contains(STDOUT)) {
      command.setStdout(ToolStream.streamed(STDOUT));
    }
    if (written.contains(STDERR)) {
      command.setStderr(ToolStream.streamed(STDERR));
    }
    if (written.contains(OUTPUT) || written.isEmpty()) {
      command.setCombinedOutput(ToolStream.streamed(OUTPUT));
    }
    return stream.finish(output(command));
  }

  private CompleteToolOutput output(CommandOutput.Builder command) {
    return CompleteToolOutput.newBuilder()
        .setToolName(tool)
        .setCommand(command.setCommandLine(commandLine))
        .build();
  }

  /** Gives the stream up, unless it has been finished. */
  @Override
  public void close() {
    stream.close();
  }
}
