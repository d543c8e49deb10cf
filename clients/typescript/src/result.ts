// Results: what is made of one output of a tool.

import { create, isMessage, toJson } from "@bufbuild/protobuf";
import type { Message } from "@bufbuild/protobuf";
import { CanonicalToolResultSchema, ToolStatus } from "./gen/toolresult/v1/envelope_pb.js";
import type { CanonicalToolResult } from "./gen/toolresult/v1/envelope_pb.js";
import type { Receipt } from "./gen/toolresult/v1/policy_pb.js";
import { ProjectResponseSchema } from "./gen/toolresult/v1/service_pb.js";
import type { ProjectResponse } from "./gen/toolresult/v1/service_pb.js";
import { artifactsOf, familyOf } from "./payloads.js";

/** Result is the projection of one output. */
export class Result {
  /** The whole answer. Of a result that was compacted or read back it has the canonical result, the receipt and the family. */
  readonly response: ProjectResponse;
  #artifacts: string[] | undefined;

  constructor(response: ProjectResponse) {
    this.response = response;
  }

  /** The text for the model. */
  get receipt(): string {
    return this.response.receipt?.text ?? "";
  }

  /** What the receipt costs, in tokens. */
  get tokens(): number {
    return this.response.receipt?.tokens ?? 0;
  }

  /** The family of the result, such as "text"; "error" for a tool that failed. */
  get family(): string {
    return this.response.family;
  }

  /** The canonical result, for the runtime to keep. Undefined when it was asked for as JSON alone. */
  get canonical(): CanonicalToolResult | undefined {
    return this.response.canonical;
  }

  /** Whether the tool could not do its work. A command that exits with another code than 0 did. */
  get failed(): boolean {
    return this.canonical?.status === ToolStatus.ERROR;
  }

  /** The paths that the canonical result names, each once, for Client.read. */
  get artifacts(): readonly string[] {
    this.#artifacts ??= this.canonical === undefined ? [] : artifactsOf(this.canonical);
    return this.#artifacts;
  }

  /** toJSON returns all of it as JSON has it, for JSON.stringify; the canonical result in the JSON of protobuf. */
  toJSON(): Record<string, unknown> {
    const { receipt, tokens, family, failed, artifacts, canonical } = this;
    const json = canonical === undefined ? undefined : toJson(CanonicalToolResultSchema, canonical);
    return { receipt, tokens, family, failed, artifacts, canonical: json };
  }
}

/** isResult reports whether something is a result, also one of another copy of this package. */
export function isResult(value: object): value is Result {
  const response = "response" in value ? value.response : undefined;
  return typeof response === "object" && response !== null && isMessage(response as Message, ProjectResponseSchema);
}

/** resultOf returns a result that is no answer of a projection. */
export function resultOf(canonical: CanonicalToolResult | undefined, receipt: Receipt | undefined): Result {
  const family = (canonical === undefined ? undefined : familyOf(canonical)) ?? "error";
  return new Result(create(ProjectResponseSchema, { family, canonical, receipt }));
}
