import { classifyMediaType, essenceOf } from '@attache/domain';
import type { WorkerDeath } from './await-answer.ts';
import { describeDeath, describeProblem } from './describe-problem.ts';
import { describeTypeDifference } from './describe-type-difference.ts';
import type { InspectOutcome } from './outcome.ts';
import type { InspectReply, InspectTask } from './worker-protocol.ts';

export type Claims = { declaredMimeType?: string | undefined; sniffedMimeType?: string | undefined };

/** What of a file's claimed types inspection may use. */
export function readClaims(claims: Claims): Pick<InspectTask, 'declaredTextType' | 'sniffedType'> {
  const declared = essenceOf(claims.declaredMimeType ?? '');
  const sniffed = essenceOf(claims.sniffedMimeType ?? '');
  return {
    declaredTextType: isText(declared) ? declared : undefined,
    sniffedType: isText(sniffed) || sniffed === unknownType ? undefined : sniffed,
  };
}

const unknownType = 'application/octet-stream';

function isText(mimeType: string | undefined): boolean {
  return mimeType !== undefined && classifyMediaType(mimeType) === 'text';
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

/** The outcome for a file on which workers died: nothing is known of it but what the upload's first bytes looked like. */
export function judgeDeath(death: WorkerDeath, claims: Claims): InspectOutcome {
  const mimeType = claims.sniffedMimeType ?? unknownType;
  const failure = describeProblem(describeDeath('attachment_corrupt', death));
  return { status: 'rejected', mimeType, kind: classifyMediaType(mimeType), failure };
}
