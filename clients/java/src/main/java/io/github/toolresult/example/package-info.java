/**
 * Calls a sidecar from Java: small classes around the generated stubs, to be used as they are or to
 * be copied.
 *
 * <p>{@link Sidecar} finds or starts the sidecar and connects to it. {@link Projector} turns the
 * output of a tool into a receipt. {@link CommandStream} does that while the command still runs.
 * {@link Rejection} reads why a call failed. {@link Example} shows all of them.
 */
package io.github.toolresult.example;
