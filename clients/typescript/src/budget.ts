// Outputs that share a budget.

import { requestOf } from "./request.js";
import type { Client } from "./client.js";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import { callOptions } from "./options.js";
import type { ProjectOptions } from "./options.js";
import { inlineBytes } from "./payloads.js";
import { BudgetTooSmallError } from "./reasons.js";
import type { Result } from "./result.js";

/** Pending is an output that waits for its projection. */
export interface Pending {
  output: CompleteToolOutput;
  options: ProjectOptions;
}

/** maxTurnBytes is the size of the outputs in one message, in bytes. Larger ones are sent as streams. */
const maxTurnBytes = 1 << 20;

/** minBudget is the smallest budget that the sidecar takes, in tokens. */
export const minBudget = 16;

/** projectWithin projects outputs, which share a budget, if there is one. Those that are too large for one message are sent as streams. */
export async function projectWithin(client: Client, pending: readonly Pending[], tokens: number | undefined): Promise<Result[]> {
  if (tokens === undefined) {
    return await Promise.all(pending.map(({ output, options }) => client.project(output, options)));
  }
  let left = tokens;
  let bytes = 0;
  const results = new Map<Pending, Result>();
  const small: Pending[] = [];
  for (const one of pending) {
    const size = inlineBytes(one.output);
    if (bytes + size <= maxTurnBytes) {
      bytes += size;
      small.push(one);
      continue;
    }
    const result = await projectLarge(client, one, Math.floor(left / (pending.length - results.size)));
    left -= result.tokens;
    results.set(one, result);
  }
  const together = await projectTogether(client, small, left);
  small.forEach((one, i) => results.set(one, together[i] as Result));
  return pending.map((one) => results.get(one) as Result);
}

/** projectLarge projects an output within its own budget and, if that is more than it may cost, within that. */
async function projectLarge(client: Client, { output, options }: Pending, tokens: number): Promise<Result> {
  const result = await client.project(output, options);
  if (result.tokens <= tokens) {
    return result;
  }
  const again = { ...options, requestId: undefined }; // it is another request
  return await within(tokens, (maxTokens) => client.project(output, { ...again, maxTokens }));
}

/** projectTogether projects outputs in one message. */
async function projectTogether(client: Client, pending: readonly Pending[], tokens: number): Promise<Result[]> {
  const [first] = pending;
  if (first === undefined) {
    return [];
  }
  const requests = pending.map(({ output, options }) => requestOf(output, options, ""));
  const requestId = pending.length === 1 ? first.options.requestId : undefined;
  return await within(tokens, async (total) => {
    const { results } = await client.projectTurn(requests, total, { requestId, ...callOptions(first.options) });
    return results;
  });
}

/** within makes something within a budget or, where what must be kept needs more, within that. */
export async function within<T>(tokens: number, make: (tokens: number) => Promise<T>): Promise<T> {
  const budget = Math.max(tokens, minBudget);
  try {
    return await make(budget);
  } catch (error) {
    const needed = error instanceof BudgetTooSmallError ? Number(error.metadata["needed"]) : Number.NaN;
    if (!(needed > budget)) {
      throw error;
    }
    return await make(needed);
  }
}
