import { attachmentSchema, failureSchema, variantSchema } from '@attache/contracts';
import { isProblemCode } from '../describe-problem.ts';
import type { Problem, WorkerReply } from '../worker-protocol.ts';

const readySchema = attachmentSchema.pick({ mimeType: true, facts: true, warnings: true });
const madeSchema = variantSchema
  .pick({ mimeType: true, sizeBytes: true, sha256: true, width: true, height: true, scale: true, page: true })
  .extend({ warnings: attachmentSchema.shape.warnings });
const problemSchema = failureSchema.pick({ code: true, diagnostic: true, safeDetails: true });

/** Checks a worker's message: a decoder that was taken over may send anything. Undefined if it is no reply. */
export function readReply(message: unknown): WorkerReply | undefined {
  if (typeof message !== 'object' || message === null || !('status' in message)) return undefined;
  switch (message.status) {
    case 'ready': {
      const ready = readySchema.safeParse(message);
      return ready.success ? { status: 'ready', ...ready.data } : undefined;
    }
    case 'made': {
      const made = madeSchema.safeParse(message);
      return made.success ? { status: 'made', ...made.data } : undefined;
    }
    case 'rejected': {
      const problem = readProblem(message);
      const mimeType = 'mimeType' in message ? message.mimeType : undefined;
      if (problem === undefined || typeof mimeType !== 'string') return undefined;
      return { status: 'rejected', mimeType, problem };
    }
    case 'failed': {
      const problem = readProblem(message);
      return problem && { status: 'failed', problem };
    }
    case 'fault':
      return 'errno' in message && typeof message.errno === 'string'
        ? { status: 'fault', errno: message.errno }
        : undefined;
    default:
      return undefined;
  }
}

function readProblem(message: object): Problem | undefined {
  const parsed = problemSchema.safeParse('problem' in message ? message.problem : undefined);
  if (!parsed.success || !isProblemCode(parsed.data.code)) return undefined;
  const { code, diagnostic, safeDetails } = parsed.data;
  return { code, diagnostic, ...(safeDetails && { safeDetails }) };
}
