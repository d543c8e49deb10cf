// A server of gRPC that answers what a test says, on a socket of its own.

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { createServer } from "node:http2";
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { shortDir } from "./sidecar.js";

/** Handler answers a request. */
export type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, attempt: number, connection: Socket) => void;

/** Fake is such a server. */
export class Fake {
  readonly address: string;
  /** The headers of the requests that it got. */
  readonly requests: IncomingHttpHeaders[] = [];
  readonly sessions = new Set<ServerHttp2Session>();
  readonly #server: Http2Server;
  #connection: Socket | undefined;
  readonly #socket: string;

  constructor(handler: Handler) {
    this.#socket = join(shortDir(), "s");
    this.address = `unix://${this.#socket}`;
    this.#server = createServer();
    this.#server.on("connection", (connection: Socket) => (this.#connection = connection));
    this.#server.on("session", (session) => {
      this.sessions.add(session);
      session.on("close", () => this.sessions.delete(session));
    });
    this.#server.on("stream", (stream, headers) => {
      stream.on("error", () => {}); // of clients that go away
      stream.resume();
      this.requests.push(headers);
      handler(stream, headers, this.requests.length, this.#connection as Socket);
    });
    after(() => this.close());
  }

  /** listen begins to serve. */
  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#socket, resolve));
    return this;
  }

  /** close ends the server and its connections. */
  close(): void {
    for (const session of this.sessions) {
      session.destroy();
    }
    this.#server.close();
  }
}

/** status answers with a status alone, with further trailers. */
export function status(stream: ServerHttp2Stream, code: number, message: string, trailers: Record<string, string> = {}): void {
  const headers = { ":status": 200, "content-type": "application/grpc+proto", "grpc-status": String(code), "grpc-message": message, ...trailers };
  stream.respond(headers, { endStream: true });
}

/** details returns the trailer of a status with an ErrorInfo and, if there are seconds, a RetryInfo. */
export function details(code: number, message: string, info: { reason: string; domain: string }, metadata: Record<string, string>, retryAfter?: number): Record<string, string> {
  const detail = new BinaryWriter().uint32(tag(1)).string(info.reason).uint32(tag(2)).string(info.domain);
  for (const [key, value] of Object.entries(metadata)) {
    detail.uint32(tag(3)).fork().uint32(tag(1)).string(key).uint32(tag(2)).string(value).join();
  }
  const all = new BinaryWriter().uint32(8).int32(code).uint32(tag(2)).string(message);
  any(all, "google.rpc.ErrorInfo", detail.finish());
  if (retryAfter !== undefined) {
    const duration = new BinaryWriter().uint32(8).int64(Math.floor(retryAfter)).uint32(16).int32(Math.round((retryAfter % 1) * 1e9));
    any(all, "google.rpc.RetryInfo", new BinaryWriter().uint32(tag(1)).bytes(duration.finish()).finish());
  }
  return { "grpc-status-details-bin": Buffer.from(all.finish()).toString("base64") };
}

/** any writes a detail of a status. */
function any(all: BinaryWriter, type: string, value: Uint8Array): void {
  all.uint32(tag(3)).fork().uint32(tag(1)).string(`type.googleapis.com/${type}`).uint32(tag(2)).bytes(value).join();
}

/** tag returns the tag of a field with a length. */
function tag(field: number): number {
  return (field << 3) | 2;
}

/** message answers with a message, by default an empty one, and the status OK. */
export function message(stream: ServerHttp2Stream, body: Uint8Array = new Uint8Array()): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), body]));
}
