import { Fault } from '@attache/contracts';
import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { HttpEnv } from '../context.ts';
import { readBody } from './read-body.ts';

/** What a JSON body may hold: the longest text and its ids, with room to spare. */
export const MAX_JSON_BYTES = 4 * 1024 * 1024;

async function readWhole(c: Context<HttpEnv>, maxBytes: number): Promise<Buffer> {
  const { incoming } = c.env;
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of readBody(c)) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const bodyTooLarge = (maxBytes: number) =>
  new Fault(
    'PAYLOAD_TOO_LARGE',
    `The JSON body is larger than ${maxBytes} bytes. Upload files as attachments instead.`,
  );

// Only by an escape can JSON hold what no database and no UTF-8 text may: NUL and surrogates without their other half.
const UNSAFE_ESCAPE = /\\u0000|\\u[dD][89a-fA-F]/;

const isSafeText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function refuseUnsafeText(key: string, value: unknown): unknown {
  if (isSafeText(key) && (typeof value !== 'string' || isSafeText(value))) return value;
  throw new Fault('INVALID_REQUEST', 'A text of the body holds NUL or half of a surrogate pair. Send valid Unicode.');
}

function parse(bytes: Buffer): unknown {
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

/** What does not fit, as a sentence: paths and expectations, never the values. */
export function describeIssues(error: z.core.$ZodError): string {
  return `${error.issues.slice(0, 5).map(describeIssue).join('; ')}.`;
}

export function parseWith<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Fault('INVALID_REQUEST', describeIssues(parsed.error));
}

/** Reads and checks a JSON body. `[]`, a string or nothing is as wrong as an object that does not fit. */
export async function readJson<S extends z.ZodType>(
  c: Context<HttpEnv>,
  schema: S,
  maxBytes = MAX_JSON_BYTES,
): Promise<z.output<S>> {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Fault('INVALID_REQUEST', 'Send the body as application/json.');
  return parseWith(schema, parse(await readWhole(c, maxBytes)));
}
