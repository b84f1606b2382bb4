import { Fault, sessionEventSchema } from '@attache/contracts';
import { readEvents } from '@attache/database';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { followEvents } from '../../log/follow-events.ts';
import { sessionNotFound } from '../../not-found.ts';
import { addRoute, json } from '../add-route.ts';
import { isStillAdmitted } from '../authenticate.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../context.ts';

/** A reader that takes nothing for this long is closed; it resumes by id. */
const STALLED_READER_MS = 30_000;

const eventsQuery = z.object({
  after: z.string().optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
const eventList = z.object({ items: z.array(sessionEventSchema), nextCursor: z.string().nullable() });

/** A seq of this session's log; anything else names no event. */
function parseSeq(text: string | undefined, lastSeq: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) <= lastSeq) return Number(text);
  throw new Fault('INVALID_REQUEST', `This names no event of the session: its last seq is ${lastSeq}.`);
}

function streamEvents(
  chunks: AsyncGenerator<string>,
  reader: AbortController,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(stalled);
    reader.abort();
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        const { value, done } = await chunks.next().catch((error) => {
          close();
          throw error;
        });
        if (done) {
          close();
          return controller.close();
        }
        controller.enqueue(encoder.encode(value));
        stalled = setTimeout(() => {
          close();
          controller.error(new Error('the reader does not keep up'));
        }, STALLED_READER_MS);
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  );
}

async function answerEvents(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  query: z.output<typeof eventsQuery>,
): Promise<Response> {
  const { tenantId, log } = c.get('caller');
  const sessionId = c.get('sessionId');
  if (!log) throw sessionNotFound();
  const isStream = c.req.header('accept')?.includes('text/event-stream') === true;
  const resumed = isStream ? c.req.header('last-event-id') : query.cursor;
  const afterSeq = parseSeq(resumed, log.lastSeq) ?? parseSeq(query.after, log.lastSeq) ?? 0;
  if (isStream) {
    const onEnd = deps.streams.open(c.get('caller'));
    const reader = new AbortController();
    const chunks = followEvents(deps.feeds, {
      ...{ tenantId, sessionId, afterSeq, signal: reader.signal },
      isStillAdmitted: () => isStillAdmitted(deps, c),
    });
    return new Response(streamEvents(chunks, reader, onEnd), {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    });
  }
  const items = await readEvents(deps.db, { tenantId, sessionId, afterSeq, limit: query.limit + 1 });
  const page = items.slice(0, query.limit);
  return c.json({ items: page, nextCursor: items.length > query.limit ? String(page.at(-1)?.seq) : null });
}

export function addEventRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'listEvents', {
    summary: 'The session log; with `Accept: text/event-stream` it follows live',
    query: eventsQuery,
    answers: {
      200: {
        description:
          'A page of events, or the log as server-sent events: `id` is the seq, `event` the kind, `data` the event. Token deltas come as `agent.delta`, without an id.',
        content: { ...json(eventList, '').content, 'text/event-stream': { schema: { type: 'string' } } },
      },
    },
    handle: (c, { query }) => answerEvents(deps, c, query),
  });
}
