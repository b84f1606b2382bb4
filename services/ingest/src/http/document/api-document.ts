import { problemSchema, type RouteName, routes, streamedEventSchema, transcriptEntrySchema } from '@attache/contracts';
import { type DescribedRoute, describeOperation, nameQuery, type Operation } from './describe-operation.ts';
import { introduction, tags } from './introduction.ts';
import { refusalAnswers, refusalComponents } from './refusals.ts';
import { createSchemaNames } from './schema-names.ts';

type Methods = Record<string, Operation>;

export type ApiDocument = {
  openapi: string;
  info: object;
  paths: Record<string, Methods>;
  components: { schemas: Record<string, object> } & Record<string, object>;
} & Record<string, unknown>;

/** Collects the descriptions of the routes. */
export type ApiDocumentBuilder = {
  add(name: RouteName, route: DescribedRoute): void;
  /** The document of all that was added. */
  compose(): ApiDocument;
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Kept for 24 hours: the same request with it gets the same answer.',
  schema: { type: 'string' },
};

export function createApiDocument(place: { basePath: string; publicUrl?: string | undefined }): ApiDocumentBuilder {
  const names = createSchemaNames();
  names.refer(problemSchema, 'Problem');
  const operations = new Map<RouteName, ReturnType<typeof describeOperation>>();
  return {
    add: (name, route) => operations.set(name, describeOperation(name, route, names)),
    compose() {
      const events = names.refer(streamedEventSchema, 'StreamedEvent');
      const entries = names.refer(transcriptEntrySchema, 'TranscriptEntry');
      const schemas = names.describe();
      const queries = new Set([...operations.keys()].map(nameQuery));
      const paths: Record<string, Methods> = {};
      for (const [name, describe] of operations) {
        const { method, path } = routes[name];
        const operation = describe(schemas);
        const at = `${place.basePath}${path}`;
        paths[at] = { ...paths[at], [method]: operation };
        if (name === 'listEvents') paths[`${at}#stream`] = { get: describeStream(operation, logStream, events) };
        if (name === 'readTranscript')
          paths[`${at}#stream`] = { get: describeStream(operation, transcriptStream, entries) };
      }
      const kept = Object.entries(schemas).filter(([name]) => !queries.has(name));
      return { ...frame(place.publicUrl), paths, components: { ...components, schemas: Object.fromEntries(kept) } };
    },
  };
}

const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'An API key `atk_…`, or a session token `ats_…`.' },
  },
  parameters: { IdempotencyKey: idempotencyKey },
  responses: refusalComponents,
};

const frame = (publicUrl: string | undefined) => ({
  openapi: '3.1.0',
  info: {
    // Generators name packages after it: ASCII alone.
    title: 'Attache',
    version: '0.1.0',
    summary: 'Attachment infrastructure for AI-agent platforms',
    description: introduction,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: publicUrl ?? '/', description: 'The stack that answers with this document.' }],
  tags,
});

type StreamWords = { operationId: string; summary: string; events: string };

const logStream: StreamWords = {
  operationId: 'followEvents',
  summary: 'Follow the session log live, as server-sent events',
  events:
    'the seq as `id`, the kind as `event` and the event as `data`; token deltas come as `agent.delta`, without an id',
};

const transcriptStream: StreamWords = {
  operationId: 'followTranscript',
  summary: 'Follow the transcript live, as server-sent events',
  events: 'the seq as `id`, the type as `event` and the entry as `data`',
};

/**
 * The stream of a session's log. OpenAPI has one operation for a path and method, and generators of clients take the JSON of an operation that has
 * both: so it has the same path with a fragment, which no client sends.
 */
function describeStream(list: Operation, { operationId, summary, events }: StreamWords, stream: object): Operation {
  const parameters = list.parameters as { in: string }[];
  return {
    operationId,
    tags: list.tags,
    summary,
    description: `Send \`Accept: text/event-stream\`. Each event has ${events}. The stream has no end: a client that reads whole answers never returns from it. It is resumed with \`Last-Event-ID\`. ${list.description}`,
    security: list.security,
    parameters: [...parameters.filter((parameter) => parameter.in === 'path'), lastEventId],
    responses: {
      200: { description: 'What is there, then what comes.', content: { 'text/event-stream': { schema: stream } } },
      ...refusalAnswers,
    },
  };
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The seq of the last event that was read.',
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
};
