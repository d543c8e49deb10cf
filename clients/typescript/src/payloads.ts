// What lies deep in messages of any family: payloads of outputs, and artifacts of results.

import { create, isMessage } from "@bufbuild/protobuf";
import type { DescMessage, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { ReflectMessage } from "@bufbuild/protobuf/reflect";
import { CanonicalToolResultSchema, CompleteToolOutputSchema } from "./gen/toolresult/v1/envelope_pb.js";
import type { CanonicalToolResult, CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import { ArtifactReferenceSchema, PayloadSchema } from "./gen/toolresult/v1/payload_pb.js";
import type { Payload } from "./gen/toolresult/v1/payload_pb.js";

const encoder = new TextEncoder();

/** toBytes returns a text in UTF-8, in which U+FFFD replaces what is half of a character, and bytes as they are. */
export function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
}

/** inline returns a payload that is in the message; undefined for one that was not captured. */
export function inline(data: string | Uint8Array | undefined): Payload | undefined {
  return data === undefined ? undefined : create(PayloadSchema, { source: { case: "inline", value: toBytes(data) } });
}

/** streamed returns the payload that a stream is. */
export function streamed(name: string): Payload {
  return create(PayloadSchema, { source: { case: "stream", value: name } });
}

/** payloadsOf returns the payloads of an output. */
export function payloadsOf(output: CompleteToolOutput): Payload[] {
  const payloads: Payload[] = [];
  walk(CompleteToolOutputSchema, output, (message) => {
    if (!isMessage(message, PayloadSchema)) {
      return false;
    }
    payloads.push(message);
    return true;
  });
  return payloads;
}

/** inlineBytes returns the size of the payloads that are in an output, in bytes. */
export function inlineBytes(output: CompleteToolOutput): number {
  let bytes = 0;
  for (const { source } of payloadsOf(output)) {
    bytes += source.case === "inline" ? source.value.length : 0;
  }
  return bytes;
}

/** artifactsOf returns the paths of the artifacts of a result, each once, in the order of the fields. */
export function artifactsOf(canonical: CanonicalToolResult): string[] {
  const paths = new Set<string>();
  walk(CanonicalToolResultSchema, canonical, (message) => {
    if (!isMessage(message, ArtifactReferenceSchema)) {
      return false;
    }
    paths.add(message.path);
    return true;
  });
  return [...paths];
}

/** familyOf returns the family of an output or a result, as GetServerInfo names it; undefined for an error. */
export function familyOf(message: CompleteToolOutput | CanonicalToolResult): string | undefined {
  if (message.result.case === "custom") {
    return message.result.value.type;
  }
  const schema = message.$typeName === "toolresult.v1.CompleteToolOutput" ? CompleteToolOutputSchema : CanonicalToolResultSchema;
  return schema.fields.find((field) => field.localName === message.result.case)?.name;
}

/** walk visits a message and those in it, in the order of the fields. It does not go into those that visit reports true for. */
function walk(schema: DescMessage, message: Message, visit: (message: Message) => boolean): void {
  if (!visit(message)) {
    walkFields(reflect(schema, message, false), visit);
  }
}

/** walkFields visits the messages in a message. */
function walkFields(message: ReflectMessage, visit: (message: Message) => boolean): void {
  for (const field of message.fields) {
    if (field.message === undefined || !message.isSet(field)) {
      continue;
    }
    if (field.fieldKind === "message") {
      const inner = message.get(field);
      walk(inner.desc, inner.message, visit);
    } else if (field.fieldKind === "list") {
      for (const inner of message.get(field) as Iterable<ReflectMessage>) {
        walk(inner.desc, inner.message, visit);
      }
    }
  }
}
