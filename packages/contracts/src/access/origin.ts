import { z } from 'zod';
import { apiSchemas } from '../api-schemas.ts';

/** Origins of one tenant. */
export const MAX_ORIGINS = 100;
const MAX_ORIGIN_LENGTH = 300;

const ORIGIN = /^https?:\/\/[^\s/?#@\\]+$/i;
const localHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * An origin as browsers send it: scheme, host and port in lower case, without the usual port. Undefined if the text is no such origin, for example
 * because it has a path, a user, a `*` or a trailing dot.
 */
export function parseOrigin(text: string): string | undefined {
  if (text.length > MAX_ORIGIN_LENGTH || !ORIGIN.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return hostname.includes('*') || hostname.endsWith('.') ? undefined : origin;
}

/** Whether an origin, as browsers send it, is of a page on the same machine. */
export function isLocalOrigin(origin: string): boolean {
  return parseOrigin(origin) === origin && localHosts.has(new URL(origin).hostname);
}

const originSchema = z.string().transform((text, context) => {
  const origin = parseOrigin(text);
  if (origin !== undefined && (origin.startsWith('https:') || isLocalOrigin(origin))) return origin;
  context.addIssue({
    code: 'custom',
    message: 'must be an origin like https://app.example.com: https, or http on localhost, without path and *',
  });
  return z.NEVER;
});

/** A list of origins, each once. */
export const saveOriginsRequestSchema = z
  .strictObject({
    origins: z
      .array(originSchema)
      .max(MAX_ORIGINS)
      .transform((origins) => [...new Set(origins)].toSorted())
      .describe('All of them: this list replaces the previous one.'),
  })
  .register(apiSchemas, {
    id: 'SaveOriginsRequest',
    description: 'The origins whose pages may call the API.',
    examples: [{ origins: ['https://chat.example.com', 'http://localhost:5173'] }],
  });

/** Made by ingest, read by callers. Holds no base64 and no path; may be logged. */
export const tenantOriginsSchema = z
  .object({ origins: z.array(z.string()).describe('Scheme, host and port of each, as browsers spell them.') })
  .register(apiSchemas, {
    id: 'TenantOrigins',
    description:
      'The origins whose pages may call the API with a credential of the tenant, besides those of the operator.',
  });
export type TenantOrigins = z.infer<typeof tenantOriginsSchema>;
