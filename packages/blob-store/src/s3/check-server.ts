import { randomUUID } from 'node:crypto';
import { describeForgeries, type Forgery } from '../../contract/s3-forgeries.ts';
import { askS3, putRaw } from './call.ts';
import { connectS3, type S3 } from './client.ts';
import { type S3Answer, toConnectionError } from './fault.ts';
import type { S3Options } from './options.ts';
import { createUnreachable, invalid, requireStored } from './settings-fault.ts';

// Servers refuse signatures that are further off.
const MOST_SKEW_MS = 15 * 60_000;

export type ServerCheck = {
  /** How far the server's clock is ahead of ours. Signatures fail at 15 minutes. */
  clockSkewMs: number;
  /** Sentences for the operator: weaknesses that need more than this server to be of harm. */
  warnings: string[];
};

/**
 * Tries what the safety of blobs rests on: rights, signatures, the condition of a put, the clock. Leaves nothing behind.
 * Throws Fault `CONFIGURATION_INVALID`, one sentence that names the variable or what the server does wrong.
 */
export async function checkS3Server(s3: S3, options: S3Options): Promise<ServerCheck> {
  const name = createCheckName();
  const startedAt = Date.now();
  const first = await putSigned(s3, name);
  const clockSkewMs = measureSkew(first, startedAt);
  if (Math.abs(clockSkewMs) > MOST_SKEW_MS) throw createClockFault(clockSkewMs);
  requireStored(first);
  try {
    const second = await putSigned(s3, name);
    if (second.status !== 412) {
      throw invalid('The S3 server does not keep If-None-Match, so that blobs could be overwritten; use another.');
    }
  } finally {
    await removeObject(s3, name);
  }
  return { clockSkewMs, warnings: await checkSignatures(s3, options) };
}

async function putSigned(s3: S3, name: string): Promise<S3Answer> {
  const url = s3.sign({ method: 'PUT', key: name });
  return orUnreachable(putRaw(s3.transport, { url, headers: { 'if-none-match': '*' }, body: 'check' }));
}

/** The server dates its answers by the second. */
function measureSkew({ headers }: S3Answer, startedAt: number): number {
  const date = Date.parse(headers.date ?? '');
  if (Number.isNaN(date)) return 0;
  const skewMs = date + 500 - (startedAt + Date.now()) / 2;
  return Math.abs(skewMs) < 1500 ? 0 : Math.round(skewMs);
}

function createClockFault(skewMs: number): Error {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return invalid(
    `The clock of the S3 server is ${minutes} minutes ${side} the clock of this machine; set both by NTP.`,
  );
}

async function checkSignatures(s3: S3, options: S3Options): Promise<string[]> {
  const forgeries = describeForgeries(options);
  for (const forgery of forgeries.filter(({ needsAccessKey }) => !needsAccessKey)) {
    if (!(await isAccepted(s3, s3, forgery))) continue;
    throw invalid(`The S3 server stores ${forgery.what}, so that anyone could write; use another, or upgrade it.`);
  }
  const warnings: string[] = [];
  for (const forgery of forgeries.filter(({ needsAccessKey }) => needsAccessKey)) {
    if (!(await isAccepted(s3, s3, forgery))) continue;
    const weakness = `The S3 server stores ${forgery.what}, from anyone who knows the access key id`;
    await requirePrivate(s3, { options, forgery, weakness });
    warnings.push(`${weakness}; upgrade it, and let nobody but the services of this installation reach it.`);
  }
  return warnings;
}

type Weakness = { options: S3Options; forgery: Forgery; weakness: string };

/** Presigned URLs show the access key id to every client. A proxy at the public address may be what refuses the forgery. */
async function requirePrivate(s3: S3, { options, forgery, weakness }: Weakness): Promise<void> {
  if (options.publicEndpoint === undefined) return;
  const publicS3 = connectS3({ ...options, endpoint: options.publicEndpoint });
  const isOpen = await isAccepted(publicS3, s3, forgery).catch(() => true);
  publicS3.transport.close();
  if (isOpen) throw invalid(`${weakness}, which presigned URLs show; upgrade it or unset ATTACHE_S3_PUBLIC_ENDPOINT.`);
}

async function isAccepted(target: S3, owner: S3, forgery: Forgery): Promise<boolean> {
  const name = createCheckName();
  const { url, headers, body } = await forgery.describe(target, name);
  const answer = await orUnreachable(putRaw(target.transport, { url, headers, body }));
  if (answer.status >= 300) return false;
  await removeObject(owner, name);
  return true;
}

async function removeObject(s3: S3, name: string): Promise<void> {
  requireStored(await orUnreachable(askS3(s3, { operation: 'DeleteObject', method: 'DELETE', name })));
}

async function orUnreachable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw createUnreachable(toConnectionError(error));
  }
}

const createCheckName = (): string => `attache-check-${randomUUID()}`;
