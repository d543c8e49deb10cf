package io.github.toolresult.example;

import io.grpc.Status;
import io.grpc.StatusException;

/**
 * Thrown when no sidecar was found, and none could be started. Its status is UNAVAILABLE; {@link
 * Rejection} has a hint.
 */
public final class NoSidecarException extends StatusException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param message what was looked for, and why it was not used
   * @param cause the error of starting one; null: no start was tried
   */
  public NoSidecarException(String message, Throwable cause) {
    super(Status.UNAVAILABLE.withDescription(message).withCause(cause));
  }
}
