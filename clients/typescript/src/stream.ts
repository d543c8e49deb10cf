// Streams: the output of a tool that still runs.

import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { CommandDisposition } from "./gen/toolresult/v1/command_pb.js";
import { CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import { ProjectStreamRequestSchema } from "./gen/toolresult/v1/service_pb.js";
import type { ProjectResponse, ProjectStreamRequest, ProjectStreamResponse, StreamHeaderSchema } from "./gen/toolresult/v1/service_pb.js";
import { join } from "./lifetime.js";
import { Outgoing } from "./outgoing.js";
import { commandOf, commandOutput, textOutput } from "./outputs.js";
import type { CommandEnd } from "./outputs.js";
import { streamed, toBytes } from "./payloads.js";
import { Result } from "./result.js";

/** chunkBytes is the size of what is sent at once, in bytes. */
const chunkBytes = 256 << 10;

/** Opener opens a call of ProjectStream. */
export type Opener = (requests: AsyncIterable<ProjectStreamRequest>, signal: AbortSignal) => AsyncIterable<ProjectStreamResponse>;

/** Header is what a stream begins with. */
export type Header = MessageInitShape<typeof StreamHeaderSchema> & { family: string; toolName: string };

/** StreamName is a stream of a command: all that it prints in order, or one of two. */
export type StreamName = "output" | "stdout" | "stderr";

/** StreamCall is one call of ProjectStream: chunks of named streams, snapshots and the finish. */
export class StreamCall {
  /** Bytes that were sent, by stream. */
  readonly #sent = new Map<string, bigint>();
  readonly #requests = new Outgoing<ProjectStreamRequest>();
  readonly #abort = new AbortController();
  readonly #answers: AsyncIterator<ProjectStreamResponse>;
  #next: Promise<IteratorResult<ProjectStreamResponse>>;
  #release: () => void;
  #ended: unknown;

  /** The call ends with the signal, if there is one. */
  constructor(open: Opener, header: Header, signal: AbortSignal | undefined) {
    const joined = signal === undefined ? { signal: this.#abort.signal, release: () => {} } : join(signal, this.#abort.signal);
    this.#release = joined.release;
    this.#answers = open(this.#requests, joined.signal)[Symbol.asyncIterator]();
    this.#next = this.#read();
    this.#requests.push(request({ case: "header", value: header })).catch(() => {}); // the next call says why
  }

  /** write sends bytes of a stream, in chunks. */
  async write(name: string, data: Uint8Array): Promise<void> {
    let sent = this.#sent.get(name) ?? 0n;
    this.#sent.set(name, sent);
    for (let done = 0; done < data.length; done += chunkBytes) {
      const chunk = data.subarray(done, done + chunkBytes);
      await this.#send({ case: "chunk", value: { stream: name, data: chunk } });
      sent += BigInt(chunk.length);
      this.#sent.set(name, sent);
    }
  }

  /** snapshot projects what was sent until now. */
  async snapshot(output: CompleteToolOutput): Promise<ProjectResponse> {
    await this.#send({ case: "snapshot", value: { output } });
    return await this.#answer("snapshot");
  }

  /** finish ends the call, and returns its result. */
  async finish(output: CompleteToolOutput): Promise<ProjectResponse> {
    await this.#send({ case: "finish", value: { output, streamBytes: Object.fromEntries(this.#sent) } });
    const response = await this.#answer("result");
    this.#requests.end();
    await this.#next; // the call has ended when its status is read; until then the answer may be followed by an error
    this.#end(new Error("the stream has ended"));
    return response;
  }

  /** cancel gives the call up, unless it has ended. */
  cancel(): void {
    this.#end(new Error("the stream was closed"));
    this.#abort.abort();
  }

  /** #send sends a message. When the call has ended, the error is why. */
  async #send(message: MessageInitShape<typeof ProjectStreamRequestSchema>["message"]): Promise<void> {
    if (this.#ended !== undefined) {
      throw this.#ended;
    }
    const taken = this.#requests.push(request(message));
    try {
      await Promise.race([taken, this.#next.then(() => taken)]); // the call may end without taking it
    } catch (reason) {
      await this.#next; // it says why
      throw reason;
    }
  }

  /** #answer returns the next answer, which is of a kind. */
  async #answer(kind: "snapshot" | "result"): Promise<ProjectResponse> {
    const { done, value } = await this.#next;
    if (done || value.answer.case !== kind) {
      throw new Error(`the sidecar answered no ${kind}`);
    }
    this.#next = this.#read();
    return value.answer.value;
  }

  /** #read waits for an answer. What it fails with is that of all that follows. */
  #read(): Promise<IteratorResult<ProjectStreamResponse>> {
    const next = this.#answers.next();
    next.catch((reason: unknown) => this.#end(reason));
    return next;
  }

  /** #end is the end of the call. Its reason is that of all that follows. */
  #end(reason: unknown): void {
    this.#ended ??= reason;
    this.#requests.end();
    this.#release();
  }
}

/** request returns a message of the call. */
function request(message: MessageInitShape<typeof ProjectStreamRequestSchema>["message"]): ProjectStreamRequest {
  return create(ProjectStreamRequestSchema, { message });
}

/**
 * ToolStream sends the output of a tool that still runs. Write it, and finish it when the tool has ended. Close gives it up if it has
 * no finish, and nothing of it is kept; so does the end of `await using`. Calls of its methods are made in their order.
 */
export class ToolStream {
  readonly #call: StreamCall;
  readonly #header: Header;
  readonly #mediaType: string;
  readonly #names = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  /** Client.stream makes streams. */
  constructor(call: StreamCall, header: Header, mediaType: string) {
    this.#call = call;
    this.#header = header;
    this.#mediaType = mediaType;
  }

  /**
   * write sends bytes of the output: all in one stream, "output", or apart as "stdout" and "stderr". A stream that was named counts as
   * captured, also without a byte. The promise is kept when the bytes were taken, so that awaiting it holds a fast tool back; who does not
   * await it gets its error from finish.
   *
   * Errors: a TypeError when "output" is used beside the others; what the sidecar rejected of the call.
   */
  write(data: string | Uint8Array, stream: StreamName = "output"): Promise<void> {
    const written = this.#write(toBytes(data), stream);
    written.catch(() => {});
    return written;
  }

  /** #write is write. */
  async #write(data: Uint8Array, stream: StreamName): Promise<void> {
    if ((stream === "output" || this.#names.has("output")) && this.#names.size > 0 && !this.#names.has(stream)) {
      throw new TypeError('a stream has one "output", or "stdout" and "stderr", and not both');
    }
    this.#names.add(stream);
    await this.#inOrder(() => this.#call.write(stream, data));
  }

  /**
   * snapshot projects what was written until now: of a command, as one that goes on as the background task of that id; of a text, as
   * the text so far.
   */
  async snapshot(taskId = ""): Promise<Result> {
    return await this.#inOrder(async () => new Result(await this.#call.snapshot(this.#soFar(taskId))));
  }

  /** finish ends the stream with the end of the command, or of the text, and returns the result. */
  async finish(end: CommandEnd = {}): Promise<Result> {
    return await this.finishWith(this.#header.family === "command" ? this.#command(end) : this.#text());
  }

  /**
   * finishWith ends the stream with an output of its family, or an error, whose payloads name streams. It returns the result.
   */
  async finishWith(output: MessageInitShape<typeof CompleteToolOutputSchema>): Promise<Result> {
    const message = create(CompleteToolOutputSchema, output);
    return await this.#inOrder(async () => new Result(await this.#call.finish(message)));
  }

  /** close gives the stream up, unless it has been finished. */
  close(): void {
    this.#call.cancel();
  }

  /** The end of `await using` closes the stream. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** #soFar returns what was written, as an output. */
  #soFar(taskId: string): CompleteToolOutput {
    if (this.#header.family !== "command") {
      return this.#text();
    }
    return create(CompleteToolOutputSchema, {
      toolName: this.#header.toolName,
      result: {
        case: "command",
        value: {
          commandLine: this.#header.commandLine ?? "",
          disposition: CommandDisposition.PROMOTED_TO_TASK,
          taskHandle: { taskId },
          initialOutput: streamed(this.#names.has("stdout") ? "stdout" : "output"),
        },
      },
    });
  }

  /** #text returns the text that was written. */
  #text(): CompleteToolOutput {
    return textOutput(this.#header.toolName, streamed("output"), this.#mediaType);
  }

  /** #command returns the command that was written. */
  #command(end: CommandEnd): CompleteToolOutput {
    const named = (name: StreamName) => (this.#names.has(name) ? streamed(name) : undefined);
    const apart = this.#names.has("stdout") || this.#names.has("stderr");
    const combinedOutput = apart ? undefined : streamed("output");
    const streams = { stdout: named("stdout"), stderr: named("stderr"), combinedOutput };
    return commandOutput(this.#header.toolName, commandOf(this.#header.commandLine ?? "", end, streams));
  }

  /** #inOrder does something after all before it. */
  #inOrder<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }
}
