import { Fault } from '@attache/contracts';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { followEvents } from '../../log/follow-events.ts';
import type { SessionFeeds } from '../../log/session-feeds.ts';
import { sessionNotFound } from '../../not-found.ts';
import { isStillAdmitted } from '../authenticate.ts';
import type { HttpDeps, HttpEnv } from '../context.ts';
import { streamEvents } from './stream-events.ts';

export const logQuery = z.object({
  after: z.string().optional().describe('The seq after which to begin.'),
  cursor: z.string().optional(),
  ticket: z.string().optional().describe('In the place of a credential in the header: from `POST …/events/tickets`.'),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
export type LogQuery = z.output<typeof logQuery>;

/** Which session's log is asked for, after which event. */
export type LogPlace = { tenantId: string; sessionId: string; afterSeq: number };

type LogAnswer = {
  feeds: SessionFeeds;
  readPage(place: LogPlace): Promise<Response>;
};

/** A page of a session's log, or with `Accept: text/event-stream` its present and future events. */
export async function answerLog(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  query: LogQuery,
  { feeds, readPage }: LogAnswer,
): Promise<Response> {
  const { tenantId, log } = c.get('caller');
  const sessionId = c.get('sessionId');
  if (!log) throw sessionNotFound();
  const isStream = c.req.header('accept')?.includes('text/event-stream') === true;
  const resumed = isStream ? c.req.header('last-event-id') : query.cursor;
  const afterSeq = parseSeq(resumed, log.lastSeq) ?? parseSeq(query.after, log.lastSeq) ?? 0;
  if (!isStream) return readPage({ tenantId, sessionId, afterSeq });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  if (c.req.method === 'HEAD') return new Response(null, { headers });
  const onEnd = deps.open.streams.open(c.get('caller'));
  const reader = new AbortController();
  const chunks = followEvents(feeds, {
    ...{ tenantId, sessionId, afterSeq, signal: reader.signal },
    isStillAdmitted: () => isStillAdmitted(deps, c),
    heartbeatMs: deps.settings.limits?.heartbeatMs,
  });
  return new Response(streamEvents(chunks, { reader, onEnd }), { headers });
}

/** A seq of this session's log; anything else names no event. */
function parseSeq(text: string | undefined, lastSeq: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) <= lastSeq) return Number(text);
  throw new Fault('INVALID_REQUEST', `This names no event of the session: its last seq is ${lastSeq}.`);
}
