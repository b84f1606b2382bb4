import { createHash, randomUUID } from 'node:crypto';
import { Fault, isFault } from '@attache/contracts';
import {
  closeIdempotency,
  createTimeLimit,
  type Database,
  dropIdempotency,
  type IdempotencyKey,
  type KeptAnswer,
  openIdempotency,
  type Tx,
  untilAnswered,
} from '@attache/database';
import type { SigningKeys } from '@attache/intake';
import canonicalize from 'canonicalize';
import { openAnswer, sealAnswer } from './sealed-answer.ts';

// Afterwards the key ends by its own time.
const FREE_WITHIN_MS = 30 * 60_000;

/** An answer and its status, as the edge gives it: who does the work knows of no status. */
export type Answer<T> = { status: number; body: T };

export type OnceRequest = IdempotencyKey & { tenantId: string; body: unknown };

/** Gives the answer to be kept: in the transaction of the effects, or as a record for a function that does both. */
export type Keep = {
  inTransaction(tx: Tx, body: unknown): Promise<void>;
  asRecord(body: unknown): (IdempotencyKey & KeptAnswer) | undefined;
};

/** The status of an answer that is kept, and the form of a refusal that is; undefined for a refusal that is not kept. */
export type Edge = { status: number; toKeptRefusal(error: unknown): Answer<unknown> | undefined };

type OnceDeps = { db: Database; signingKeys: SigningKeys };

const keepNothing: Keep = { inTransaction: async () => {}, asRecord: () => undefined };

const fingerprintOf = (body: unknown): string =>
  createHash('sha256')
    .update(canonicalize(body) ?? '')
    .digest('hex');

function createKeep(deps: OnceDeps, request: OnceRequest, key: IdempotencyKey, status: number): Keep {
  const toKept = (body: unknown): KeptAnswer => ({
    fingerprint: fingerprintOf(request.body),
    status,
    sealedAnswer: sealAnswer(deps.signingKeys, body),
  });
  return {
    inTransaction: (tx, body) => closeIdempotency(tx, key, toKept(body)),
    asRecord: (body) => ({ ...key, ...toKept(body) }),
  };
}

/**
 * Runs `work` at most once for an idempotency key; a repeated request gets the first answer. Without a key it just runs. A refusal
 * that is not kept frees the key.
 */
export async function runOnce<T>(
  deps: OnceDeps,
  request: OnceRequest | undefined,
  { status, toKeptRefusal }: Edge,
  work: (keep: Keep) => Promise<T>,
): Promise<Answer<T> & { isReplay: boolean }> {
  if (!request) return { status, body: await work(keepNothing), isReplay: false };
  const { tenantId, body: _body, ...given } = request;
  const key = { ...given, ticket: randomUUID() };
  const free = () => deps.db.asTenant(tenantId, (tx) => dropIdempotency(tx, key));
  const opened = await orFreeLater(free, () => openIdempotency(deps.db, tenantId, key));
  if (opened.state === 'in-progress') {
    throw new Fault('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is under way. Try again shortly.', {
      retryable: true,
      retryAfterSeconds: 1,
    });
  }
  if (opened.state === 'reused') throw keyReused();
  if (opened.state === 'done') return { ...replay<T>(deps, request, opened), isReplay: true };
  const keep = createKeep(deps, request, key, status);
  try {
    return { status, body: await work(keep), isReplay: false };
  } catch (error) {
    const refusal = toKeptRefusal(error);
    const keepRefusal = (kept: Answer<unknown>) =>
      deps.db.asTenant(tenantId, (tx) => createKeep(deps, request, key, kept.status).inTransaction(tx, kept.body));
    await orFreeLater(free, () => (refusal ? keepRefusal(refusal) : free()));
    throw error;
  }
}

// While the database is away nobody can say whether the key was taken, or free it: it is freed as soon as there is an answer, so
// that the client's next try does not learn that this one is in progress.
async function orFreeLater<T>(free: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFault(error, 'DATABASE_UNAVAILABLE'))
      void untilAnswered(free, createTimeLimit(FREE_WITHIN_MS)).catch(() => {});
    throw error;
  }
}

function replay<T>(deps: OnceDeps, request: OnceRequest, kept: KeptAnswer): Answer<T> {
  if (kept.fingerprint !== fingerprintOf(request.body)) {
    throw keyReused();
  }
  return { status: kept.status, body: openAnswer<T>(deps.signingKeys, kept.sealedAnswer) };
}

const keyReused = (): Fault =>
  new Fault('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request. Use a new key.');
