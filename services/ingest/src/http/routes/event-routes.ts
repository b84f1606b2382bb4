import { eventTicketSchema, eventUnionSchema, transcriptEntrySchema } from '@attache/contracts';
import { readEvents } from '@attache/database';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createEventTicket } from '../../caller/event-ticket.ts';
import { readTranscript } from '../../log/read-transcript.ts';
import { createTranscriptFeeds } from '../../log/transcript-feeds.ts';
import { sessionNotFound } from '../../not-found.ts';
import { addRoute, json } from '../add-route.ts';
import type { HttpApp, HttpDeps, HttpEnv } from '../context.ts';
import { answerLog, type LogQuery, logQuery } from './answer-log.ts';

const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });
const eventList = listOf(eventUnionSchema);
const transcriptList = listOf(transcriptEntrySchema);

const answerEvents = (deps: HttpDeps, c: Context<HttpEnv>, query: LogQuery): Promise<Response> =>
  answerLog(deps, c, query, {
    feeds: deps.feeds,
    async readPage(place) {
      const items = await readEvents(deps.db, { ...place, limit: query.limit + 1 });
      const page = items.slice(0, query.limit);
      return c.json({ items: page, nextCursor: items.length > query.limit ? String(page.at(-1)?.seq) : null });
    },
  });

function answerTranscript(deps: HttpDeps, c: Context<HttpEnv>, query: LogQuery): Promise<Response> {
  const describesFiles = c.get('caller').rights.has('attachments:read');
  return answerLog(deps, c, query, {
    feeds: createTranscriptFeeds(deps, { describesFiles }),
    async readPage(place) {
      const { looked, hasMore } = await readTranscript(deps, { ...place, limit: query.limit, describesFiles });
      const items = looked.flatMap(({ entry }) => entry ?? []);
      return c.json({ items, nextCursor: hasMore ? String(looked.at(-1)?.seq) : null });
    },
  });
}

export function addEventRoutes(app: HttpApp, deps: HttpDeps): void {
  addRoute(app, deps, 'createEventTicket', {
    summary: 'Make a ticket for one stream of this session, for `EventSource`, which can send no credential',
    answers: { 201: json(eventTicketSchema, 'The ticket; it can be used once.') },
    async handle(c) {
      const { tenantId, log } = c.get('caller');
      if (!log) throw sessionNotFound();
      const { holder: maker } = c.get('presented');
      const terms = { tenantId, sessionId: c.get('sessionId'), maker, nowSeconds: Date.now() / 1000 };
      return c.json(createEventTicket(deps.signingKeys, terms), 201);
    },
  });
  addRoute(app, deps, 'listEvents', {
    summary: 'The session log; with `Accept: text/event-stream` it follows live',
    query: logQuery,
    answers: {
      200: {
        description: 'A page of events.',
        content: { 'application/json': { schema: eventList } },
      },
    },
    handle: (c, { query }) => answerEvents(deps, c, query),
  });
  addRoute(app, deps, 'readTranscript', {
    summary: 'The session log folded for people; with `Accept: text/event-stream` it follows live',
    query: logQuery,
    answers: {
      200: {
        description:
          'A page of entries. `limit` counts events, of which some have no entry: a page may hold fewer, and the last one has no `nextCursor`. Without `attachments:read` of a file only its id and status.',
        content: { 'application/json': { schema: transcriptList } },
      },
    },
    handle: (c, { query }) => answerTranscript(deps, c, query),
  });
}
