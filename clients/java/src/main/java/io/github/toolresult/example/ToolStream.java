package io.github.toolresult.example;

import com.google.protobuf.ByteString;
import io.github.toolresult.v1.CompleteToolOutput;
import io.github.toolresult.v1.Payload;
import io.github.toolresult.v1.ProjectResponse;
import io.github.toolresult.v1.ProjectStreamRequest;
import io.github.toolresult.v1.ProjectStreamResponse;
import io.github.toolresult.v1.StreamChunk;
import io.github.toolresult.v1.StreamFinish;
import io.github.toolresult.v1.StreamHeader;
import io.github.toolresult.v1.StreamSnapshot;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.util.HashMap;
import java.util.Map;

/**
 * ToolStream sends output of any size in pieces, while it is written or because it is large. Close
 * it: without {@link #finish} that gives the call up, and nothing of it is kept. It is not safe for
 * concurrent use.
 */
public final class ToolStream implements AutoCloseable {
  private static final int CHUNK_BYTES = 256 << 10; // smaller chunks are slow

  private final BlockingClientCall<ProjectStreamRequest, ProjectStreamResponse> call;
  private final Map<String, Long> sent = new HashMap<>(); // bytes by stream
  private boolean open = true;

  /**
   * Opens a stream. What the sidecar rejects is thrown by the next method that waits for it.
   *
   * @param header the family of the output, and its policy; the streams that may have no byte. The
   *     session of the connection is added where it names none
   */
  public ToolStream(Sidecar sidecar, StreamHeader header) throws StatusException {
    StreamHeader.Builder first = header.toBuilder();
    if (header.getCall().getSessionId().isEmpty() && !sidecar.session().isEmpty()) {
      first.getCallBuilder().setSessionId(sidecar.session());
    }
    call = sidecar.results().projectStream();
    send(ProjectStreamRequest.newBuilder().setHeader(first).build());
  }

  /** Returns a payload whose bytes are those of a stream. */
  public static Payload streamed(String stream) {
    return Payload.newBuilder().setStream(stream).build();
  }

  /** Sends bytes of a stream. It waits while the sidecar does not keep up. */
  public void write(String stream, ByteString data) throws StatusException {
    for (int at = 0; at < data.size(); at += CHUNK_BYTES) {
      ByteString chunk = data.substring(at, Math.min(at + CHUNK_BYTES, data.size()));
      send(
          ProjectStreamRequest.newBuilder()
              .setChunk(StreamChunk.newBuilder().setStream(stream).setData(chunk))
              .build());
    }
    sent.merge(stream, (long) data.size(), Long::sum);
  }

  /** Projects what was sent until now, as an output of the stream's family. */
  public ProjectResponse snapshot(CompleteToolOutput output) throws StatusException {
    send(
        ProjectStreamRequest.newBuilder()
            .setSnapshot(StreamSnapshot.newBuilder().setOutput(output))
            .build());
    return receive().getSnapshot();
  }

  /** Ends the stream with the output, whose payloads name streams, and returns the result. */
  public ProjectResponse finish(CompleteToolOutput output) throws StatusException {
    send(
        ProjectStreamRequest.newBuilder()
            .setFinish(StreamFinish.newBuilder().setOutput(output).putAllStreamBytes(sent))
            .build());
    ProjectResponse result = receive().getResult();
    // The call has ended when its status is read: until then an error may follow the answer.
    if (read() != null) {
      throw Status.INTERNAL.withDescription("there are two answers").asException();
    }
    open = false;
    return result;
  }

  /** Gives the stream up, unless it has been finished. */
  @Override
  public void close() {
    if (open) {
      open = false;
      call.cancel("the stream was closed before its end", null);
    }
  }

  private void send(ProjectStreamRequest message) throws StatusException {
    if (!open) {
      throw new IllegalStateException("the stream has ended");
    }
    try {
      if (!call.write(message)) {
        throw Status.INTERNAL.withDescription("the call ended without an answer").asException();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private ProjectStreamResponse receive() throws StatusException {
    ProjectStreamResponse answer = read();
    if (answer == null) {
      throw Status.INTERNAL.withDescription("the call ended without an answer").asException();
    }
    return answer;
  }

  /** Returns the next answer; null: the call has ended well. */
  private ProjectStreamResponse read() throws StatusException {
    try {
      return call.read();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private StatusException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    close();
    return Status.CANCELLED.withDescription("interrupted").withCause(e).asException();
  }
}
