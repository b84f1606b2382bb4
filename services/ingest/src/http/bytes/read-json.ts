import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { HttpEnv } from '../context.ts';
import { type BodyBudget, FREE_BYTES } from '../shares/body-budget.ts';
import { cutTexts } from './cut-texts.ts';
import { readBody } from './read-body.ts';

/** The limit of a JSON body: it has room for the longest text and its ids. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** The limits of a body, and the field that is left out of the JSON. */
export type JsonLimits = {
  maxBytes?: number | undefined;
  /** Long texts of this field stay bytes, and the rest may have so many of them. */
  cut?: { field: string; maxRestBytes: number } | undefined;
};

/** A checked body, and the texts that were cut out of it, by their digests. */
export type ReadJson<T> = { body: T; texts: ReadonlyMap<string, Uint8Array> };

/** Length of the body as its sender says it; undefined for one in chunks. */
function lengthOf(c: Context<HttpEnv>, maxBytes: number): number | undefined {
  const declared = c.env.incoming.headers['content-length'];
  if (declared === undefined) return undefined;
  if (Number(declared) > maxBytes) throw bodyTooLarge(maxBytes);
  return Number(declared);
}

/** Waits behind a part of a large body, so that its sender waits too. */
type Wait = (bytes: number) => Promise<void>;

// Into its place at once: it is held once.
async function readSized(c: Context<HttpEnv>, lengthBytes: number, wait: Wait): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(lengthBytes);
  let sizeBytes = 0;
  for await (const chunk of readBody(c)) {
    whole.set(chunk, sizeBytes);
    sizeBytes += chunk.length;
    if (lengthBytes > FREE_BYTES) await wait(chunk.length);
  }
  return whole.subarray(0, sizeBytes);
}

/** Calls `onLarge` once, when it is longer than a body that is not counted. */
async function readInChunks(
  c: Context<HttpEnv>,
  maxBytes: number,
  { wait, onLarge }: { wait: Wait; onLarge: () => void },
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of readBody(c)) {
    const before = sizeBytes;
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw bodyTooLarge(maxBytes);
    if (before <= FREE_BYTES && sizeBytes > FREE_BYTES) onLarge();
    chunks.push(chunk);
    if (sizeBytes > FREE_BYTES) await wait(chunk.length);
  }
  return Buffer.concat(chunks);
}

const bodyTooLarge = (maxBytes: number) =>
  new Fault(
    'PAYLOAD_TOO_LARGE',
    `The JSON body is larger than ${maxBytes} bytes. Upload files as attachments instead.`,
  );

// Only by an escape can JSON hold characters that no database and no UTF-8 text may: NUL and surrogates without their other half.
const UNSAFE_ESCAPE = /\\u0000|\\u[dD][89a-fA-F]/;

const isSafeText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function refuseUnsafeText(key: string, value: unknown): unknown {
  if (isSafeText(key) && (typeof value !== 'string' || isSafeText(value))) return value;
  throw new Fault('INVALID_REQUEST', 'A text of the body holds NUL or half of a surrogate pair. Send valid Unicode.');
}

function parse(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text, UNSAFE_ESCAPE.test(text) ? refuseUnsafeText : undefined);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('INVALID_REQUEST', 'The body is not valid JSON in UTF-8.');
  }
}

/** As fields are spelled. Anything else in the place of one may be content that went astray, and is not repeated. */
const FIELD = /^[A-Za-z]{1,30}$/;

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map((step) => (typeof step === 'number' || FIELD.test(String(step)) ? String(step) : '…'));
  const isUnrepeatable = issue.code === 'unrecognized_keys' && !issue.keys.every((key) => FIELD.test(key));
  return `${path.join('.') || 'the request'}: ${isUnrepeatable ? 'Unrecognized key' : issue.message}`;
}

/** Lists the parts that do not fit as a sentence: paths and expectations, never the values. */
function describeIssues(error: z.core.$ZodError): string {
  return `${error.issues.slice(0, 5).map(describeIssue).join('; ')}.`;
}

export function parseWith<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault('INVALID_REQUEST', describeIssues(parsed.error));
}

/**
 * Reads and checks a JSON body, for which there is room in `budget` until `release` is called. `[]`, a string or nothing is as wrong as an object
 * that does not fit.
 */
export async function readJson<S extends z.ZodType>(
  c: Context<HttpEnv>,
  schema: S,
  budget: BodyBudget,
  { maxBytes = MAX_JSON_BYTES, cut }: JsonLimits = {},
): Promise<ReadJson<z.output<S>> & { release: () => void }> {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Fault('INVALID_REQUEST', 'Send the body as application/json.');
  const lengthBytes = lengthOf(c, maxBytes);
  let release = () => {};
  const { tenantId } = c.get('caller');
  const wait: Wait = async (bytes) => {
    await waitFor(budget.pace(tenantId, bytes));
  };
  const hold = (sizeBytes: number) => {
    release = budget.take(tenantId, { sizeBytes, textBytes: cut?.maxRestBytes ?? maxBytes });
  };
  if (lengthBytes !== undefined) hold(lengthBytes);
  try {
    // One in chunks is put together at its end: it is held twice.
    const bytes =
      lengthBytes === undefined
        ? await readInChunks(c, maxBytes, { wait, onLarge: () => hold(2 * maxBytes) })
        : await readSized(c, lengthBytes, wait);
    const { json, texts } = cut ? await cutTexts(bytes, cut.field) : { json: bytes, texts: noTexts };
    if (cut && json.length > cut.maxRestBytes) throw bodyTooLarge(cut.maxRestBytes);
    if (json.length > FREE_BYTES) await waitFor(budget.paceWords(tenantId, json.length));
    return { body: parseWith(schema, parse(json)), texts, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function waitFor(waitMs: number): Promise<void> {
  if (waitMs > 0) await delay(waitMs);
}

const noTexts: ReadonlyMap<string, Uint8Array> = new Map();
