// Requests of projections, which are alike in calls of one output and of several.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CompleteToolOutput } from "./gen/toolresult/v1/envelope_pb.js";
import type { ProjectRequestSchema } from "./gen/toolresult/v1/service_pb.js";
import { ownerOf, policyOf } from "./options.js";
import type { ProjectOptions } from "./options.js";

/** ProjectRequestInit is a request, or its members. */
export type ProjectRequestInit = MessageInitShape<typeof ProjectRequestSchema>;

/** requestOf returns the request for an output, without an id. The session is that of a call that names none. */
export function requestOf(output: CompleteToolOutput, options: ProjectOptions, session: string): ProjectRequestInit {
  return { output, policy: policyOf(options), call: ownerOf(options, session), audit: options.audit };
}
