// Reading what receipts name.

import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ReadArtifactRequestSchema } from "./gen/toolresult/v1/artifact_pb.js";
import type { ReadArtifactRequest, ReadArtifactResponse } from "./gen/toolresult/v1/artifact_pb.js";
import type { CallOptions } from "./options.js";

/** Selections are the parts of an artifact that can be read. */
export interface Selections {
  /** Lines from the first to the last, from 1; without a last one, or 0, to the end. */
  lines: readonly [first: number | bigint, last?: number | bigint];
  /** Bytes from a start, from 0, up to an end, which is not one of them; without one, or 0, to the end. */
  bytes: readonly [start: number | bigint, end?: number | bigint];
  /** The last lines. */
  tail: number | bigint;
  /** A line and as many before and behind it. */
  around: readonly [line: number | bigint, lines: number];
  /** Lines that match a pattern of RE2; `context` has the lines around each. */
  match: string;
  /** The value of a JSON text at a pointer (RFC 6901), such as "/items/3/name". */
  pointer: string;
}

/** Selection is one of the selections, or none: then everything is read. */
export type Selection = OneOf<Selections>;

/** OneOf has one of the members at most. */
type OneOf<T> =
  | { [K in keyof T]?: undefined }
  | { [K in keyof T]: { [P in K]: T[K] } & { [P in Exclude<keyof T, K>]?: undefined } }[keyof T];

/** ReadOptions say what is read of an artifact, and for whom. */
export type ReadOptions = CallOptions &
  Selection & {
    /** With `match`: lines before and behind each that matches. Default: 0. */
    context?: number | undefined;
    /** The session for which it is read: what is of another is answered as if it did not exist. Default: that of the client, or any. */
    session?: string | undefined;
    /** Bytes of one answer. Default: that of the sidecar, 32,768. */
    maxBytes?: number | undefined;
    /** Lines of one answer. Default: that of the sidecar, 2,000. */
    maxLines?: number | undefined;
    /** Reads on behind an answer, by its nextPageToken. */
    pageToken?: string | undefined;
  };

/** Page is one answer: as much of the selection as it may have. */
export class Page {
  /** The whole answer. */
  readonly response: ReadArtifactResponse;

  constructor(response: ReadArtifactResponse) {
    this.response = response;
  }

  /** The bytes. */
  get data(): Uint8Array {
    return this.response.data;
  }

  /** The bytes as text, in which U+FFFD replaces what is no UTF-8. A page may end inside of a character. */
  get text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.response.data);
  }

  /** Whether this is the end of the selection. */
  get complete(): boolean {
    return this.response.complete;
  }

  /** Where to go on; empty on the last page. */
  get nextPageToken(): string {
    return this.response.nextPageToken;
  }
}

/** readRequest returns the request for a part of an artifact. */
export function readRequest(path: string, options: ReadOptions, session: string): ReadArtifactRequest {
  return create(ReadArtifactRequestSchema, {
    path,
    selection: selectionOf(options),
    budget: { maxBytes: options.maxBytes ?? 0, maxLines: options.maxLines ?? 0 },
    pageToken: options.pageToken ?? "",
    sessionId: options.session ?? session,
  });
}

/** selectionOf returns the selection of options as a message has it. */
function selectionOf(options: ReadOptions): MessageInitShape<typeof ReadArtifactRequestSchema>["selection"] {
  const { lines, bytes, tail, around, match, pointer, context = 0 } = options as CallOptions & Partial<Selections> & { context?: number };
  const given = Object.entries({ lines, bytes, tail, around, match, pointer }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    throw new TypeError(`one selection is read, and not ${given.map(([name]) => name).join(" and ")}`);
  }
  if (lines !== undefined) {
    return { case: "lines", value: { first: natural(lines[0]), last: natural(lines[1] ?? 0) } };
  }
  if (bytes !== undefined) {
    return { case: "bytes", value: { start: natural(bytes[0]), end: natural(bytes[1] ?? 0) } };
  }
  if (tail !== undefined) {
    return { case: "tail", value: { lines: natural(tail) } };
  }
  if (around !== undefined) {
    return { case: "around", value: { line: natural(around[0]), before: around[1], after: around[1] } };
  }
  if (match !== undefined) {
    return { case: "match", value: { pattern: match, before: context, after: context } };
  }
  return pointer === undefined ? { case: undefined } : { case: "jsonPointer", value: pointer };
}

/** natural returns a number of lines or bytes as a message has it. */
function natural(n: number | bigint): bigint {
  const value = BigInt(n); // a RangeError for what is no integer
  if (value < 0n) {
    throw new RangeError(`${value} is less than 0`);
  }
  return value;
}
