package io.github.toolresult.example;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.github.toolresult.v1.ErrorReason;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Map;

/**
 * Rejection is a call that was not served, read from the status that gRPC threw.
 *
 * <pre>{@code
 * } catch (StatusException e) {
 *   Rejection why = Rejection.of(e);
 *   switch (why.reason()) {
 *     case ERROR_REASON_BUDGET_TOO_SMALL -> ...
 *     default -> throw e;
 *   }
 * }
 * }</pre>
 *
 * @param code the code of the status; UNAVAILABLE for every lost connection
 * @param message what was wrong; it has no bytes of a tool
 * @param reason the reason; UNSPECIFIED when no sidecar answered, UNRECOGNIZED when this contract
 *     does not have it
 * @param reasonName the reason as text, such as "BUDGET_TOO_SMALL"; empty: no sidecar answered
 * @param field the path of the field that was wrong, such as "output.tool_name"; empty: none
 * @param hint what to do next; empty: nothing is known
 * @param retryable whether the same call may succeed when it is made again
 * @param retryAfter how long to wait before that; zero: the sidecar does not say
 * @param metadata further facts, such as "needed" of a budget
 */
public record Rejection(
    Status.Code code,
    String message,
    ErrorReason reason,
    String reasonName,
    String field,
    String hint,
    boolean retryable,
    Duration retryAfter,
    Map<String, String> metadata) {

  private static final String DOMAIN = "toolresult.v1";
  private static final String PREFIX = "ERROR_REASON_";
  private static final String START_HINT = "start one: toolresult ensure";

  /**
   * Reads an exception of a call, or of {@link Sidecar.Builder#connect}.
   *
   * @throws IllegalArgumentException if neither the exception nor a cause of it has a status
   */
  public static Rejection of(Throwable thrown) {
    com.google.rpc.Status status = StatusProto.fromThrowable(thrown);
    if (status == null) {
      throw new IllegalArgumentException("there is no status", thrown);
    }
    ErrorInfo info = ErrorInfo.getDefaultInstance();
    RetryInfo retry = null;
    try {
      for (Any detail : status.getDetailsList()) {
        if (detail.is(ErrorInfo.class) && detail.unpack(ErrorInfo.class).getDomain().equals(DOMAIN)) {
          info = detail.unpack(ErrorInfo.class);
        } else if (detail.is(RetryInfo.class)) {
          retry = detail.unpack(RetryInfo.class);
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("the details of the status are broken", e);
    }
    Throwable cause = Status.fromThrowable(thrown).getCause();
    return make(withCause(withoutRace(status, cause), cause), info, retry);
  }

  /**
   * Names a connection that closed while a call was written to it as what it is. gRPC on netty says
   * UNKNOWN, "channel closed", of a call that loses this race, and UNAVAILABLE of all others.
   */
  private static com.google.rpc.Status withoutRace(com.google.rpc.Status status, Throwable cause) {
    if (status.getCode() != Status.Code.UNKNOWN.value()
        || !(cause instanceof ClosedChannelException)) {
      return status;
    }
    return status.toBuilder().setCode(Status.Code.UNAVAILABLE.value()).build();
  }

  /** Adds the cause to what gRPC says of every broken connection. */
  private static com.google.rpc.Status withCause(com.google.rpc.Status status, Throwable cause) {
    if (cause == null || !status.getMessage().equals("io exception")) {
      return status;
    }
    return status.toBuilder().setMessage("io exception: " + cause).build();
  }

  private static Rejection make(com.google.rpc.Status status, ErrorInfo info, RetryInfo retry) {
    Status.Code code = Status.fromCodeValue(status.getCode()).getCode();
    boolean again = retry != null || code == Status.Code.UNAVAILABLE || code == Status.Code.ABORTED;
    Duration after =
        retry == null
            ? Duration.ZERO
            : Duration.ofSeconds(retry.getRetryDelay().getSeconds(), retry.getRetryDelay().getNanos());
    boolean answered = !info.getReason().isEmpty();
    ErrorReason reason = answered ? named(info.getReason()) : ofGrpc(code);
    String name =
        answered
            ? info.getReason()
            : reason == ErrorReason.ERROR_REASON_UNSPECIFIED
                ? ""
                : reason.name().substring(PREFIX.length());
    String hint = info.getMetadataOrDefault("hint", "");
    if (!answered && code == Status.Code.UNAVAILABLE) {
      hint = START_HINT;
    }
    return new Rejection(
        code,
        status.getMessage(),
        reason,
        name,
        info.getMetadataOrDefault("field", ""),
        hint,
        again,
        after,
        info.getMetadataMap());
  }

  /** Returns the reason of a name; a newer sidecar has more of them. */
  private static ErrorReason named(String name) {
    var value = ErrorReason.getDescriptor().findValueByName(PREFIX + name);
    return value == null ? ErrorReason.UNRECOGNIZED : ErrorReason.valueOf(value);
  }

  /** Returns the reason of a status that gRPC itself made, without a sidecar. */
  private static ErrorReason ofGrpc(Status.Code code) {
    return switch (code) {
      case DEADLINE_EXCEEDED -> ErrorReason.ERROR_REASON_DEADLINE;
      case CANCELLED -> ErrorReason.ERROR_REASON_CLIENT_CANCELLED;
      case UNIMPLEMENTED -> ErrorReason.ERROR_REASON_METHOD_UNKNOWN;
      case RESOURCE_EXHAUSTED -> ErrorReason.ERROR_REASON_MESSAGE_TOO_LARGE;
      default -> ErrorReason.ERROR_REASON_UNSPECIFIED;
    };
  }
}
