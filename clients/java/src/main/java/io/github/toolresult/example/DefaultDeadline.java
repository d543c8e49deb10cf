package io.github.toolresult.example;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** DefaultDeadline gives unary calls a deadline that have none of their caller. */
record DefaultDeadline(Duration timeout) implements ClientInterceptor {
  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    boolean unary = method.getType() == MethodDescriptor.MethodType.UNARY;
    if (unary && options.getDeadline() == null && Context.current().getDeadline() == null) {
      options = options.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
    return next.newCall(method, options);
  }
}
