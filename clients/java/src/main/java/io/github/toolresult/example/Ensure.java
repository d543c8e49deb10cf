package io.github.toolresult.example;

import io.grpc.Status;
import io.grpc.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Ensure runs {@code toolresult ensure}, which starts a sidecar where none runs. */
final class Ensure {
  private Ensure() {}

  /**
   * Returns the address of the sidecar. The program is the one that the variable TOOLRESULT_BINARY
   * names, or that is found in PATH.
   *
   * @throws NoSidecarException if there is no such program
   * @throws StatusException UNAVAILABLE, with what the program says, if it fails
   */
  static String run(Map<String, String> environment) throws StatusException {
    String program = environment.getOrDefault("TOOLRESULT_BINARY", "");
    ProcessBuilder command = new ProcessBuilder(program.isEmpty() ? "toolresult" : program, "ensure");
    command.environment().clear();
    command.environment().putAll(environment);
    Process process;
    try {
      process = command.start();
    } catch (IOException e) {
      throw new NoSidecarException("start a sidecar: " + e.getMessage(), e);
    }
    try {
      process.getOutputStream().close();
      var address = CompletableFuture.supplyAsync(() -> text(process.getInputStream()));
      var errors = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
      if (process.waitFor() != 0) {
        throw failed(errors.join(), null);
      }
      return address.join();
    } catch (IOException | CompletionException e) {
      throw failed(e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Status.CANCELLED.withDescription("interrupted").withCause(e).asException();
    } finally {
      process.destroy(); // it has ended, unless this thread was interrupted
    }
  }

  private static String text(InputStream in) {
    try (in) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StatusException failed(String why, Throwable cause) {
    return Status.UNAVAILABLE.withDescription("start a sidecar: " + why).withCause(cause).asException();
  }
}
