// Histories of results in fewer tokens.

import { clone, create, toBinary } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { CompactionLevel, CompactionPolicySchema, ProtectionPolicySchema } from "./gen/toolresult/v1/policy_pb.js";
import type { CompactionPolicy } from "./gen/toolresult/v1/policy_pb.js";
import type { CanonicalToolResult } from "./gen/toolresult/v1/envelope_pb.js";
import { CompactEntrySchema, CompactStreamRequestSchema } from "./gen/toolresult/v1/service_pb.js";
import type {
  CompactEntry,
  CompactRequest,
  CompactResponse,
  CompactStreamRequest,
  CompactStreamResponse,
  CompactedResult,
  PlannedResult,
} from "./gen/toolresult/v1/service_pb.js";
import type { CallOptions } from "./options.js";
import { isResult, resultOf } from "./result.js";
import type { Result } from "./result.js";

/** levels are the levels by their words. */
const levels = { trimmed: CompactionLevel.TRIMMED, handles: CompactionLevel.HANDLES, line: CompactionLevel.LINE } as const;

/** HistoryEntry is one result of a history. */
export interface HistoryEntry {
  /** The result. Default: the latest on record of the call in the session. */
  result?: Result | CanonicalToolResult | undefined;
  /** The id of the call. Default: not known. */
  callId?: string | undefined;
  /** The turn of the conversation, so that parallel calls grow old together. 0 for all: each result is a turn of its own. Default: 0. */
  turn?: number | undefined;
  /** What was asked, where the result does not say it. Default: not known. */
  subject?: string | undefined;
  /** Tokens of the prompt between the result before and this one. Default: 0. */
  precedingTokens?: number | undefined;
}

/** CompactOptions say how far to compact: `totalTokens`, or a `level`. */
export interface CompactOptions extends CallOptions {
  /** What the receipts of all results may cost together, in tokens. Default: no budget. */
  totalTokens?: number | undefined;
  /** The lowest level that a result may have. Default: with a budget "line"; without, it is required. */
  level?: keyof typeof levels | undefined;
  /** Tokens that each preview may keep. Default: 256. */
  previewTokens?: number | undefined;
  /** The number of last turns that are not changed. Default: 0. */
  protectLastTurns?: number | undefined;
  /** Only the plan is wanted. Default: false. */
  dryRun?: boolean | undefined;
  /** The session of the results, which owns what is stored now. Default: that of the client, or none. */
  session?: string | undefined;
  /** Further members of the policy, such as `cache`. Default: none. */
  policy?: MessageInitShape<typeof CompactionPolicySchema> | undefined;
}

/** Compaction is what became of a history. */
export interface Compaction {
  /** The results that changed, in their order; `index` is that of the entry. */
  results: { index: number; result: Result; canonical: CanonicalToolResult | undefined; receipt: string }[];
  /** Index of the first entry that changed; undefined: none did. */
  firstChanged: number | undefined;
  /** What all receipts cost before, in tokens. */
  tokensBefore: number;
  /** What they cost now. */
  tokensAfter: number;
  /** Whether the budget was met. */
  budgetMet: boolean;
  /** A receipt over all results that are no longer shown; undefined: there are none. */
  overview: string | undefined;
  /** The whole answer, with the plan. */
  response: CompactResponse;
}

/** maxHistory is the size of a history in one message, in bytes. */
const maxHistory = 3 << 20;

/** fitsOneMessage reports whether entries may be sent in one message. */
export function fitsOneMessage(entries: readonly CompactEntry[]): boolean {
  let bytes = 0;
  for (const entry of entries) {
    bytes += toBinary(CompactEntrySchema, entry).length + 8;
    if (bytes > maxHistory) {
      return false;
    }
  }
  return true;
}

/** compactionPolicyOf returns the policy of a compaction. */
export function compactionPolicyOf(options: CompactOptions): CompactionPolicy {
  const { level, totalTokens, previewTokens, protectLastTurns } = options;
  if (level !== undefined && !Object.hasOwn(levels, level)) {
    throw new TypeError(`${JSON.stringify(level)} is none of the levels ${Object.keys(levels).join(", ")}`);
  }
  const policy = clone(CompactionPolicySchema, create(CompactionPolicySchema, options.policy));
  policy.level = level === undefined ? policy.level : levels[level];
  policy.totalTokens = totalTokens ?? policy.totalTokens;
  policy.previewTokens = previewTokens ?? policy.previewTokens;
  if (protectLastTurns !== undefined) {
    policy.protect ??= create(ProtectionPolicySchema);
    policy.protect.lastTurns = protectLastTurns;
  }
  return policy;
}

/** entryOf returns an entry as a message. */
export function entryOf(entry: Result | HistoryEntry): CompactEntry {
  const { result, callId, turn, subject, precedingTokens } = isResult(entry) ? { result: entry } : entry;
  return create(CompactEntrySchema, {
    ...contentOf(result),
    callId: callId ?? "",
    turn: turn ?? 0,
    subject: subject ?? "",
    precedingTokens: precedingTokens ?? 0,
  });
}

/** contentOf returns the result of an entry, and the family of one that is JSON. */
function contentOf(result: Result | CanonicalToolResult | undefined): Pick<MessageInitShape<typeof CompactEntrySchema>, "result" | "family"> {
  if (result === undefined) {
    return {};
  }
  if (!isResult(result)) {
    return { result: { case: "canonical", value: result } };
  }
  const { canonical, canonicalJson, family } = result.response;
  return canonical === undefined ? { result: { case: "canonicalJson", value: canonicalJson }, family } : { result: { case: "canonical", value: canonical } };
}

/** streamRequests yields a history message by message. */
export async function* streamRequests(request: CompactRequest): AsyncIterable<CompactStreamRequest> {
  const { policy, sessionId, dryRun, canonicalForm } = request;
  yield create(CompactStreamRequestSchema, { message: { case: "header", value: { policy, sessionId, dryRun, canonicalForm } } });
  for (const entry of request.entries) {
    yield create(CompactStreamRequestSchema, { message: { case: "entry", value: entry } });
  }
}

/** collect puts the messages of an answer together. */
export async function collect(answers: AsyncIterable<CompactStreamResponse>): Promise<CompactResponse> {
  const planned: PlannedResult[] = [];
  const changed: CompactedResult[] = [];
  let summary: CompactResponse | undefined;
  for await (const { answer } of answers) {
    if (answer.case === "planned") {
      planned.push(answer.value);
    } else if (answer.case === "result") {
      changed.push(answer.value);
    } else if (answer.case === "summary") {
      summary = answer.value;
    }
  }
  if (summary === undefined) {
    throw new Error("the answer has no summary");
  }
  summary.results = changed;
  if (summary.plan !== undefined) {
    summary.plan.results = planned;
  }
  return summary;
}

/** compactionOf returns what became of a history. */
export function compactionOf(response: CompactResponse): Compaction {
  return {
    results: response.results.map((changed) => {
      const result = resultOf(changed.canonical, changed.receipt);
      return { index: changed.index, result, canonical: result.canonical, receipt: result.receipt };
    }),
    firstChanged: response.firstChanged,
    tokensBefore: Number(response.plan?.tokensBefore ?? 0n),
    tokensAfter: Number(response.plan?.tokensAfter ?? 0n),
    budgetMet: response.plan?.budgetMet ?? false,
    overview: response.overview?.text,
    response,
  };
}
