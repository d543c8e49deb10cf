// Deadlines and retries of the calls, as the service config of gRPC specifies them (gRFC A6), on any transport of Connect.

import type { DescMessage, DescMethod, DescMethodStreaming, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { setTimeout as sleep } from "node:timers/promises";
import type { Joined, Lifetime } from "./lifetime.js";
import { aborted, deadline, rejection } from "./status.js";
import type { Rejection } from "./status.js";

/** ServiceConfig is the part of a service config that is followed. */
export interface ServiceConfig {
  readonly methodConfig: readonly MethodConfig[];
  readonly retryThrottling?: { readonly maxTokens: number; readonly tokenRatio: number };
}

/** MethodConfig is what a service config says about some methods. */
export interface MethodConfig {
  /** Methods; one without a method is all of its service. */
  readonly name: readonly { readonly service: string; readonly method?: string }[];
  /** How long a call may take, such as "30s". Absent: for ever. */
  readonly timeout?: string;
  readonly retryPolicy?: {
    readonly maxAttempts: number;
    readonly initialBackoff: string;
    readonly maxBackoff: string;
    readonly backoffMultiplier: number;
    readonly retryableStatusCodes: readonly string[];
  };
}

/** HeadersLike is what headers are made of. */
type HeadersLike = ConstructorParameters<typeof Headers>[0];

/** longest is the longest time that gRPC can send, in milliseconds. */
const longest = 99_999_999;

/** How often a call is made again that the sidecar did not look at, and the first pause before that, in milliseconds. */
const maxUnseen = 6;
const unseenPause = 5;

/** Throttle ends the retries on a connection where too many calls fail. */
export class Throttle {
  readonly #max: number;
  readonly #ratio: number;
  #tokens: number;

  /** Without a limit it ends nothing. */
  constructor(limit?: { readonly maxTokens: number; readonly tokenRatio: number }) {
    this.#max = this.#tokens = limit?.maxTokens ?? 0;
    this.#ratio = limit?.tokenRatio ?? 0;
  }

  /** succeeded counts a call that was served. */
  succeeded(): void {
    this.#tokens = Math.min(this.#max, this.#tokens + this.#ratio);
  }

  /** failed counts a call that failed in a way that is repeated, and reports whether it may be. */
  failed(): boolean {
    this.#tokens = Math.max(0, this.#tokens - 1);
    return this.#max === 0 || this.#tokens > this.#max / 2;
  }
}

/** milliseconds reads a time of a service config, such as "0.1s". */
export function milliseconds(text: string): number {
  return Number.parseFloat(text) * 1000;
}

/** configOf returns what a service config says about a method: the entry that names it, else that of its service. */
export function configOf(config: ServiceConfig, method: DescMethod): MethodConfig | undefined {
  const service = method.parent.typeName;
  const find = (name: string | undefined) =>
    config.methodConfig.find((c) => c.name.some((n) => n.service === service && n.method === name));
  return find(method.name) ?? find(undefined);
}

/** withPolicy returns a transport that follows a service config, and errors of this package. Its calls end with the lifetime. */
export function withPolicy(inner: Transport, config: ServiceConfig, lifetime: Lifetime, timeoutMs?: number): Transport {
  const throttle = new Throttle(config.retryThrottling);
  return {
    unary: async <I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      given: AbortSignal | undefined,
      timeout: number | undefined,
      header: HeadersLike | undefined,
      input: MessageInitShape<I>,
      values?: ContextValues,
    ): Promise<UnaryResponse<I, O>> => {
      const found = configOf(config, method);
      const limit = timeout ?? timeoutMs ?? (found?.timeout === undefined ? undefined : milliseconds(found.timeout));
      const { signal, release } = lifetime.join(given);
      const attempt = (left: number | undefined, attempts: number) => {
        const headers = new Headers(header);
        if (attempts > 0) {
          headers.set("grpc-previous-rpc-attempts", String(attempts));
        }
        return inner.unary(method, signal, left, headers, input, values);
      };
      try {
        return await repeat(attempt, found?.retryPolicy, throttle, limit, signal);
      } finally {
        release();
      }
    },
    stream: async <I extends DescMessage, O extends DescMessage>(
      method: DescMethodStreaming<I, O>,
      given: AbortSignal | undefined,
      timeout: number | undefined,
      header: HeadersLike | undefined,
      input: AsyncIterable<MessageInitShape<I>>,
      values?: ContextValues,
    ): Promise<StreamResponse<I, O>> => {
      const joined = lifetime.join(given);
      try {
        const left = timeout === undefined ? undefined : timeLeft(performance.now() + timeout);
        const response = await inner.stream(method, joined.signal, left, header, input, values);
        return { ...response, message: typed(response.message, joined) };
      } catch (reason) {
        joined.release();
        throw rejection(reason, joined.signal).error;
      }
    },
  };
}

/** typed yields the messages of an answer, and fails with errors of this package. */
async function* typed<T>(messages: AsyncIterable<T>, { signal, release }: Joined): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (reason) {
    throw rejection(reason, signal).error;
  } finally {
    release();
  }
}

/** repeat makes a call until it is served, as often as its policy allows within its time. */
async function repeat<T>(
  attempt: (left: number | undefined, attempts: number) => Promise<T>,
  policy: MethodConfig["retryPolicy"],
  throttle: Throttle,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  const end = limit === undefined ? undefined : performance.now() + limit;
  let backoff = policy === undefined ? 0 : milliseconds(policy.initialBackoff);
  for (let attempts = 0, unseen = 0; ; attempts++) {
    let failed: Rejection;
    try {
      const answer = await attempt(timeLeft(end), attempts);
      throttle.succeeded();
      return answer;
    } catch (reason) {
      failed = rejection(reason, signal);
    }
    if (failed.unseen && unseen < maxUnseen) { // no attempt, and no sign of trouble
      await pause(unseenPause * 2 ** unseen++ * (0.8 + 0.4 * Math.random()), end, signal, failed.error);
      attempts--;
      continue;
    }
    if (policy === undefined || !isRepeated(failed, policy, throttle) || attempts + 1 >= policy.maxAttempts) {
      throw failed.error;
    }
    let wait = backoff * (0.8 + 0.4 * Math.random());
    backoff = Math.min(backoff * policy.backoffMultiplier, milliseconds(policy.maxBackoff));
    if (failed.pushback !== undefined) {
      wait = failed.pushback;
      backoff = milliseconds(policy.initialBackoff);
    }
    await pause(wait, end, signal, failed.error);
  }
}

/** isRepeated counts a failed call, and reports whether its status is one that is repeated. */
function isRepeated(failed: Rejection, policy: NonNullable<MethodConfig["retryPolicy"]>, throttle: Throttle): boolean {
  const stop = failed.pushback !== undefined && failed.pushback < 0;
  const status = failed.code !== undefined && policy.retryableStatusCodes.includes(failed.code);
  return (status || stop) && throttle.failed() && status && !stop;
}

/** timeLeft returns the time until the end of a call, in whole milliseconds. An end that is less than one away has passed. */
function timeLeft(end: number | undefined): number | undefined {
  if (end === undefined) {
    return undefined;
  }
  const left = Math.round(end - performance.now());
  if (!(left >= 1)) {
    throw deadline();
  }
  return Math.min(left, longest);
}

/** pause waits before the next attempt, not longer than the call may take. */
async function pause(ms: number, end: number | undefined, signal: AbortSignal | undefined, why: unknown): Promise<void> {
  const left = end === undefined ? Number.POSITIVE_INFINITY : end - performance.now();
  try {
    await sleep(Math.max(0, Math.min(ms, left)), undefined, { signal });
  } catch (reason) {
    throw signal?.aborted ? aborted(signal) : reason;
  }
  if (ms >= left) {
    throw deadline(why);
  }
}
