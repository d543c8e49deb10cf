package io.github.toolresult.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.github.toolresult.v1.ErrorReason;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.protobuf.StatusProto;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RejectionTest {
  private static final ErrorInfo INFO =
      ErrorInfo.newBuilder()
          .setDomain("toolresult.v1")
          .setReason("BUDGET_TOO_SMALL")
          .putMetadata("field", "policy.render.budget")
          .putMetadata("hint", "raise it")
          .putMetadata("needed", "12")
          .build();

  private static StatusException thrown(Status.Code code, Message... details) {
    var status = com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage("why");
    for (Message detail : details) {
      status.addDetails(Any.pack(detail));
    }
    return StatusProto.toStatusException(status.build());
  }

  @Test
  void hasWhatTheSidecarSays() {
    Rejection why = Rejection.of(thrown(Status.Code.INVALID_ARGUMENT, INFO));
    assertEquals(Status.Code.INVALID_ARGUMENT, why.code());
    assertEquals(ErrorReason.ERROR_REASON_BUDGET_TOO_SMALL, why.reason());
    assertEquals("BUDGET_TOO_SMALL", why.reasonName());
    assertEquals("why", why.message());
    assertEquals("policy.render.budget", why.field());
    assertEquals("raise it", why.hint());
    assertEquals("12", why.metadata().get("needed"));
    assertFalse(why.retryable());
    assertEquals(Duration.ZERO, why.retryAfter());
  }

  @Test
  void isRetryableWithRetryInfo() {
    var delay = com.google.protobuf.Duration.newBuilder().setSeconds(2).setNanos(500_000_000);
    var retry = RetryInfo.newBuilder().setRetryDelay(delay).build();
    Rejection why = Rejection.of(thrown(Status.Code.RESOURCE_EXHAUSTED, INFO, retry));
    assertTrue(why.retryable());
    assertEquals(Duration.ofMillis(2500), why.retryAfter());
    assertTrue(Rejection.of(thrown(Status.Code.ABORTED, INFO)).retryable());
    assertTrue(Rejection.of(thrown(Status.Code.UNAVAILABLE, INFO)).retryable());
  }

  @Test
  void knowsReasonsOfNewerSidecarsByName() {
    var info = INFO.toBuilder().setReason("OF_THE_FUTURE").build();
    Rejection why = Rejection.of(thrown(Status.Code.INVALID_ARGUMENT, info));
    assertEquals(ErrorReason.UNRECOGNIZED, why.reason());
    assertEquals("OF_THE_FUTURE", why.reasonName());
  }

  @Test
  void ignoresErrorInfoOfOthers() {
    var info = INFO.toBuilder().setDomain("example.org").build();
    Rejection why = Rejection.of(thrown(Status.Code.UNAVAILABLE, info));
    assertEquals(ErrorReason.ERROR_REASON_UNSPECIFIED, why.reason());
    assertEquals("start one: toolresult ensure", why.hint());
  }

  @Test
  void namesAClosedConnectionAsAllOthers() {
    var closed = Status.UNKNOWN.withDescription("channel closed");
    Rejection why = Rejection.of(closed.withCause(new ClosedChannelException()).asException());
    assertEquals(Status.Code.UNAVAILABLE, why.code());
    assertEquals("start one: toolresult ensure", why.hint());
    assertTrue(why.retryable());
    assertEquals(Status.Code.UNKNOWN, Rejection.of(closed.asException()).code());
  }

  @Test
  void namesWhatGrpcItselfEnds() {
    for (var want :
        Map.of(
                Status.Code.DEADLINE_EXCEEDED, "DEADLINE",
                Status.Code.CANCELLED, "CLIENT_CANCELLED",
                Status.Code.UNIMPLEMENTED, "METHOD_UNKNOWN",
                Status.Code.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE",
                Status.Code.UNAVAILABLE, "",
                Status.Code.UNKNOWN, "")
            .entrySet()) {
      Rejection why = Rejection.of(want.getKey().toStatus().asRuntimeException());
      assertEquals(want.getValue(), why.reasonName());
      assertEquals(want.getKey(), why.code());
      assertEquals(want.getKey() == Status.Code.UNAVAILABLE, why.retryable());
    }
  }

  @Test
  void findsTheStatusOfACause() {
    var wrapped = new RuntimeException(thrown(Status.Code.INVALID_ARGUMENT, INFO));
    assertEquals("BUDGET_TOO_SMALL", Rejection.of(wrapped).reasonName());
    assertThrows(IllegalArgumentException.class, () -> Rejection.of(new RuntimeException()));
  }
}
