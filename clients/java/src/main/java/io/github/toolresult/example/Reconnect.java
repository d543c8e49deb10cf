package io.github.toolresult.example;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reconnect tries a failed connection again when a call is made, and after 100 ms at first and 1 s at
 * most. gRPC itself waits for 1 s at first and for minutes later, which is for servers far away: a
 * local sidecar that starts again is there at once.
 */
final class Reconnect implements ClientInterceptor {
  private static final long FIRST_MILLIS = 100;
  private static final long MOST_MILLIS = 1000;

  private final ManagedChannel channel;
  private long delayMillis = FIRST_MILLIS;
  private boolean waiting;

  /** Watches a channel until it is shut down. Its calls have to be intercepted, too. */
  Reconnect(ManagedChannel channel) {
    this.channel = channel;
    watch();
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
      connectNow();
    }
    return next.newCall(method, options);
  }

  /** Forgets that the last connection failed, so that the call waits for the next one. */
  private synchronized void connectNow() {
    if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) { // still
      channel.enterIdle();
      delayMillis = FIRST_MILLIS;
    }
  }

  private synchronized void watch() {
    ConnectivityState state = channel.getState(false);
    if (state == ConnectivityState.SHUTDOWN) {
      return;
    }
    channel.notifyWhenStateChanged(state, this::watch);
    if (state == ConnectivityState.TRANSIENT_FAILURE && !waiting) {
      waiting = true;
      later();
    }
  }

  private void later() {
    CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS).execute(this::again);
    delayMillis = Math.min(delayMillis * 4 / 3, MOST_MILLIS);
  }

  private synchronized void again() {
    ConnectivityState state = channel.getState(false);
    if (state != ConnectivityState.TRANSIENT_FAILURE && state != ConnectivityState.CONNECTING) {
      waiting = false;
      delayMillis = FIRST_MILLIS;
      return;
    }
    channel.resetConnectBackoff(); // of one that is connecting it does nothing
    later();
  }
}
