import { createHash } from 'node:crypto';
import { Fault } from '@attache/contracts';
import {
  closeIdempotency,
  type Database,
  dropIdempotency,
  type IdempotencyKey,
  type KeptAnswer,
  openIdempotency,
  type Tx,
} from '@attache/database';
import type { SigningKeys } from '@attache/intake';
import canonicalize from 'canonicalize';
import { openAnswer, sealAnswer } from './sealed-answer.ts';

export type Answer<T> = { status: number; body: T };

export type OnceRequest = IdempotencyKey & { tenantId: string; body: unknown };

/** Gives the answer to be kept: in the transaction of the effects, or as a record for a function that does both. */
export type Keep = {
  inTransaction(tx: Tx, answer: Answer<unknown>): Promise<void>;
  asRecord(answer: Answer<unknown>): (IdempotencyKey & KeptAnswer) | undefined;
};

type OnceDeps = { db: Database; signingKeys: SigningKeys };

const keepNothing: Keep = { inTransaction: async () => {}, asRecord: () => undefined };

const fingerprintOf = (body: unknown): string =>
  createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest('hex');

function createKeep(deps: OnceDeps, request: OnceRequest): Keep {
  const { route, sessionId, key } = request;
  const toKept = ({ status, body }: Answer<unknown>): KeptAnswer => ({
    fingerprint: fingerprintOf(request.body),
    status,
    sealedAnswer: sealAnswer(deps.signingKeys, body),
  });
  return {
    inTransaction: (tx, answer) => closeIdempotency(tx, { route, sessionId, key }, toKept(answer)),
    asRecord: (answer) => ({ route, sessionId, key, ...toKept(answer) }),
  };
}

/**
 * Runs `work` at most once for an idempotency key; a repeated request gets the first answer. Without a key it just runs. Of
 * refusals only 422 is kept: every other one frees the key.
 */
export async function runOnce<T>(
  deps: OnceDeps,
  request: OnceRequest | undefined,
  work: (keep: Keep) => Promise<Answer<T>>,
  toKeptRefusal: (error: unknown) => Answer<unknown> | undefined,
): Promise<Answer<T> & { isReplay: boolean }> {
  if (!request) return { ...(await work(keepNothing)), isReplay: false };
  const { tenantId, body: _body, ...key } = request;
  const opened = await deps.db.asTenant(tenantId, (tx) => openIdempotency(tx, key));
  if (opened.state === 'in-progress') {
    throw new Fault('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is under way. Try again shortly.', {
      retryable: true,
      retryAfterSeconds: 1,
    });
  }
  if (opened.state === 'done') return { ...replay<T>(deps, request, opened), isReplay: true };
  const keep = createKeep(deps, request);
  try {
    return { ...(await work(keep)), isReplay: false };
  } catch (error) {
    const refusal = toKeptRefusal(error);
    await deps.db.asTenant(tenantId, (tx) => (refusal ? keep.inTransaction(tx, refusal) : dropIdempotency(tx, key)));
    throw error;
  }
}

function replay<T>(deps: OnceDeps, request: OnceRequest, kept: KeptAnswer): Answer<T> {
  if (kept.fingerprint !== fingerprintOf(request.body)) {
    throw new Fault('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request. Use a new key.');
  }
  return { status: kept.status, body: openAnswer<T>(deps.signingKeys, kept.sealedAnswer) };
}
