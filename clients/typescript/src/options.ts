// What may be said about calls.

import { clone, create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { BudgetSchema, ProjectionPolicySchema, RenderPolicySchema } from "./gen/toolresult/v1/policy_pb.js";
import type { ProjectionPolicy, RenderPolicy } from "./gen/toolresult/v1/policy_pb.js";
import { AuditDetailsSchema, CallReferenceSchema } from "./gen/toolresult/v1/service_pb.js";
import type { CallReference } from "./gen/toolresult/v1/service_pb.js";

/** CallOptions are those of every call. */
export interface CallOptions {
  /** How long the call may take with all its repetitions, in milliseconds. Default: that of the client. */
  timeoutMs?: number | undefined;
  /** Ends the call. */
  signal?: AbortSignal | undefined;
}

/** OwnerOptions say for whom a call is made. */
export interface OwnerOptions extends CallOptions {
  /** The session that owns the artifacts. Default: that of the client, or none. */
  session?: string | undefined;
  /** The id of the call, such as the provider's tool_call_id. It needs a session. */
  callId?: string | undefined;
  /** Which agent of the session made the call. It needs a session. */
  agentId?: string | undefined;
}

/** ProjectOptions are those of a projection. */
export interface ProjectOptions extends OwnerOptions {
  /** Bounds the receipt, in tokens. Default: by tool, model and family. */
  maxTokens?: number | undefined;
  /** What the agent looks for, in its own words: the question, the last message. At most 8 KiB of UTF-8. Default: that of the policy. */
  focus?: string | undefined;
  /** How the output is projected. Default: every default. */
  policy?: MessageInitShape<typeof ProjectionPolicySchema> | undefined;
  /** The id by which a call that is made again gets the same answer. Default: one of its own for each call; "" is none. */
  requestId?: string | undefined;
  /** What is to be on record beside the output. Default: nothing. */
  audit?: MessageInitShape<typeof AuditDetailsSchema> | undefined;
}

/** RenderOptions are those of a receipt. */
export interface RenderOptions extends CallOptions {
  /** Bounds the receipt, in tokens. Default: by tool, model and family. */
  maxTokens?: number | undefined;
  /** How the receipt is rendered. Default: every default. */
  policy?: MessageInitShape<typeof RenderPolicySchema> | undefined;
}

/** policyOf returns the policy of a projection, which is no object of the caller; undefined: every default. */
export function policyOf(options: Pick<ProjectOptions, "focus" | "maxTokens" | "policy">): ProjectionPolicy | undefined {
  if (options.maxTokens === undefined && options.policy === undefined && !options.focus) {
    return undefined;
  }
  const policy = clone(ProjectionPolicySchema, create(ProjectionPolicySchema, options.policy));
  policy.focus = options.focus || policy.focus;
  policy.render = renderPolicyOf({ maxTokens: options.maxTokens, policy: policy.render });
  return policy;
}

/** renderPolicyOf returns the policy of a receipt, which is no object of the caller; undefined: every default. */
export function renderPolicyOf(options: Pick<RenderOptions, "maxTokens" | "policy">): RenderPolicy | undefined {
  if (options.maxTokens === undefined && options.policy === undefined) {
    return undefined;
  }
  const policy = clone(RenderPolicySchema, create(RenderPolicySchema, options.policy));
  if (options.maxTokens !== undefined) {
    policy.budget ??= create(BudgetSchema);
    policy.budget.maxTokens = options.maxTokens;
  }
  return policy;
}

/** ownerOf returns the call that owns artifacts; undefined: none. */
export function ownerOf(options: OwnerOptions, session: string): CallReference | undefined {
  const reference = { sessionId: options.session || session, callId: options.callId ?? "", agentId: options.agentId ?? "" };
  const isEmpty = reference.sessionId === "" && reference.callId === "" && reference.agentId === "";
  return isEmpty ? undefined : create(CallReferenceSchema, reference);
}

/** callOptions returns the options of every call. */
export function callOptions({ timeoutMs, signal }: CallOptions): { timeoutMs?: number; signal?: AbortSignal } {
  return { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) };
}
