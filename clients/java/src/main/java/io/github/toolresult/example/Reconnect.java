package io.github.toolresult.example;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Reconnect tries a failed connection again after 100 ms at first and 1 s at most. gRPC itself waits
 * for 1 s at first and for minutes later, which is for servers far away: a local sidecar that starts
 * again is there at once.
 */
final class Reconnect {
  private static final long FIRST_MILLIS = 100;
  private static final long MOST_MILLIS = 1000;

  private final ManagedChannel channel;
  private long delayMillis = FIRST_MILLIS;
  private boolean waiting;

  private Reconnect(ManagedChannel channel) {
    this.channel = channel;
  }

  /** Watches a channel until it is shut down. */
  static void watch(ManagedChannel channel) {
    new Reconnect(channel).watch();
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
    Executor timer = CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS);
    timer.execute(this::again);
  }

  private synchronized void again() {
    ConnectivityState state = channel.getState(false);
    if (state != ConnectivityState.TRANSIENT_FAILURE && state != ConnectivityState.CONNECTING) {
      waiting = false;
      delayMillis = FIRST_MILLIS;
      return;
    }
    channel.resetConnectBackoff(); // of one that is connecting it does nothing
    delayMillis = Math.min(delayMillis * 2, MOST_MILLIS);
    later();
  }
}
