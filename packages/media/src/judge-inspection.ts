import {
  claimTextType,
  classifyMediaType,
  describeTypeDifference,
  type FileClaims,
  labelFile,
  unifyMediaType,
} from '@attache/domain';
import { describeCost, describeDeath, describeProblem } from './describe-problem.ts';
import type { WorkerDeath } from './pool/await-answer.ts';
import type { InspectOutcome } from './pool/outcome.ts';
import type { InspectReply, InspectTask } from './worker-protocol.ts';

/** The part of a file's claims that inspection may use: the type of text, if the file is text. Everything else comes from its bytes. */
export function readClaims(claims: FileClaims): Pick<InspectTask, 'textType'> {
  return { textType: claimTextType(claims) };
}

/** The outcome of a worker's reply, held against what was declared. */
export function judgeInspection(reply: InspectReply, declaredMimeType: string | undefined): InspectOutcome {
  const { mimeType } = reply;
  const kind = classifyMediaType(mimeType);
  if (reply.status === 'rejected')
    return { status: 'rejected', mimeType, kind, failure: describeProblem(reply.problem) };
  const warnings = [...describeTypeDifference(declaredMimeType, mimeType), ...reply.warnings];
  return { status: 'ready', mimeType, kind, facts: reply.facts, warnings };
}

/** The outcome for a file on which workers died: nothing is known of it but what its first bytes look like. */
export function judgeDeath(death: WorkerDeath, head: Uint8Array, claims: FileClaims): InspectOutcome {
  const mimeType = unifyMediaType(labelFile(head, claims));
  const problem =
    death.cause === 'processor-time'
      ? describeCost('attachment_inspection_too_costly', death)
      : describeDeath('attachment_corrupt', death);
  const failure = describeProblem(problem);
  return { status: 'rejected', mimeType, kind: classifyMediaType(mimeType), failure };
}
