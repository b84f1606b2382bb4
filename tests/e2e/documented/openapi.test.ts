// hosted: long – the public API answers alone, and asks no server
import { eventKinds, routes } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

type Operation = {
  operationId: string;
  security: unknown[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>;
  tags: string[];
};
type Schema = { description?: string; examples?: unknown[]; discriminator?: object; oneOf?: object[] };
type OpenApi = {
  openapi: string;
  info: { title: string };
  servers: object[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, { description: string; content: Record<string, unknown> }>;
  };
};

const MAX_BYTES = 250_000;

let stack: Stack;
let document: OpenApi;
let sizeBytes: number;
beforeAll(async () => {
  stack = await openStack();
  const text = await (await fetch(`${stack.api.url}/openapi.json`)).text();
  sizeBytes = Buffer.byteLength(text);
  document = JSON.parse(text);
});
afterAll(() => stack.stop());

/** Every property of a schema, at any depth, with what is said of it. */
function listProperties(schema: unknown): [string, string][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: object };
  const own = Object.entries(properties).map(([name, said]): [string, string] => [name, JSON.stringify(said)]);
  return [...own, ...Object.values(schema).flatMap(listProperties)];
}

/** A schema with those that it refers to in their places; none refers to itself. */
function resolveAll(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolveAll);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return resolveAll(document.components.schemas[String(schema.$ref).split('/').at(-1) ?? '']);
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, resolveAll(value)]));
}

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

it('the address alone says where things are', async () => {
  const answer = await fetch(`${stack.api.url}/`);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { name: 'Attaché', api: '/v1', reference: '/docs', openapi: '/openapi.json' },
  ]);
  for (const place of ['/docs', '/openapi.json']) expect((await fetch(`${stack.api.url}${place}`)).status).toBe(200);
});

describe('the OpenAPI document', () => {
  it('is 3.1 and lists the routes of the table, no more and no fewer', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const described = operations().map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`);
    const known = Object.entries(routes).map(([name, { method, path }]) => `${name} ${method} /v1${path}`);
    // Two of them have a stream besides their page, which generators want as an operation of its own.
    const streams = [
      `followEvents get /v1${routes.listEvents.path}#stream`,
      `followTranscript get /v1${routes.readTranscript.path}#stream`,
    ];
    expect(described.toSorted()).toEqual([...known, ...streams].toSorted());
  });

  it('is small enough to be read and to be generated from, and says where it is served', () => {
    expect(sizeBytes).toBeLessThan(MAX_BYTES);
    expect(document.servers).not.toEqual([]);
  });

  it('groups its routes under tags that say what they are', () => {
    const named = new Set(document.tags.map(({ name }) => name));
    expect(document.tags.filter(({ description }) => description.length < 10)).toEqual([]);
    for (const { operation } of operations()) expect(operation.tags.filter((tag) => !named.has(tag))).toEqual([]);
  });

  it('says of each schema and of each property what it is', () => {
    const schemas = Object.entries(document.components.schemas);
    expect(schemas.filter(([, { description = '' }]) => description.length < 8).map(([name]) => name)).toEqual([]);
    const properties = schemas.flatMap(([name, schema]) =>
      listProperties(schema).map(([field, said]) => ({ name, field, said })),
    );
    expect(properties.filter(({ said }) => !/"description"|"\$ref"/.test(said))).toEqual([]);
  });

  it('tells events, entries and items apart by a field', () => {
    const unions = Object.entries(document.components.schemas).filter(([, { oneOf }]) => oneOf !== undefined);
    expect(unions.map(([name]) => name)).toEqual(
      expect.arrayContaining(['SessionEvent', 'StreamedEvent', 'TranscriptEntry']),
    );
    expect(unions.filter(([, { discriminator }]) => discriminator === undefined).map(([name]) => name)).toEqual([]);
    expect(document.components.schemas.SessionEvent?.oneOf).toHaveLength(eventKinds.length);
    expect(document.components.schemas.StreamedEvent?.discriminator).toMatchObject({
      propertyName: 'kind',
      mapping: { 'agent.delta': '#/components/schemas/AgentDeltaEvent' },
    });
  });

  it('has streams in operations of their own alone, and an ASCII title for the packages that are named after it', () => {
    const streams = operations().filter(({ operation }) =>
      /text\/event-stream/.test(JSON.stringify(operation.responses)),
    );
    expect(streams.map(({ operation }) => operation.operationId)).toEqual(['followEvents', 'followTranscript']);
    expect(document.info.title).toMatch(/^[A-Za-z]+$/);
  });

  it('says how each route is entered, what its path holds and how it refuses', () => {
    for (const { path, operation } of operations()) {
      const name = operation.operationId as keyof typeof routes;
      expect(operation.security, path).toEqual(routes[name]?.gate === 'signature' ? [] : [{ bearer: [] }]);
      const inPath = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(inPath.toSorted()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted());
      expect(operation.responses.default, path).toEqual({ $ref: '#/components/responses/Refusal' });
    }
  });

  it('says what each status of a refusal means, which is a problem of RFC 9457', () => {
    const { description, content } = document.components.responses.Refusal ?? {};
    expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
    for (const status of [400, 401, 403, 404, 409, 413, 422, 429, 503]) expect(description).toContain(`- ${status}: `);
  });

  it('takes ids, each by its pattern, and never a path or an address of a file [DL-95]', () => {
    const bodies = operations().flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}));
    const properties = bodies.flatMap(({ schema }) => listProperties(resolveAll(schema)));
    const ids = properties.filter(([name]) => /Ids?$/.test(name) && !/^external/.test(name));
    expect(ids.length).toBeGreaterThan(4);
    expect(ids.filter(([, text]) => !text.includes('"pattern"')).map(([name]) => name)).toEqual([]);
    const named = properties.map(([name]) => name);
    expect(named.filter((name) => /path|folder|url|uri|href/i.test(name))).toEqual([]);
  });

  it('says of words that the contract keeps and nothing uses that they do nothing today', () => {
    const text = JSON.stringify(document);
    expect(text).toContain('completion:read opens nothing in this release');
    expect(text).toContain('nothing compacts a session in this release');
    expect(text).toContain('preview_unavailable is raised by nobody in this release');
    expect(text).toContain('program_alters_image is raised by nobody in this release');
  });

  it('describes upload bodies as plain JSON schema [AT-14]', () => {
    const attachments = document.paths['/v1/sessions/{sessionId}/attachments'];
    const form = attachments?.post?.requestBody?.content['multipart/form-data']?.schema;
    expect(form).toMatchObject({
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' }, name: { type: 'string' } },
      required: ['file'],
    });
    const raw = attachments?.put?.requestBody?.content['application/octet-stream']?.schema;
    expect(raw).toMatchObject({ type: 'string', format: 'binary' });
  });

  it('lists only what is served: each of its routes answers, others do not exist', async () => {
    for (const { path, method } of operations()) {
      const answer = await stack.api.call(
        method.toUpperCase(),
        path.replaceAll(/\{\w+\}|#stream$/g, (place) => (place.startsWith('#') ? '' : 'x')),
        {
          credential: null,
        },
      );
      expect(answer.status, `${method} ${path}`).toBe(401);
    }
    const missing = await stack.api.call('GET', '/v1/no-such-thing');
    expect(missing).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  });
});

describe('an upload', () => {
  it('is read by its handler as it comes, never into memory first: too much is refused before its end [AT-17 S14]', async () => {
    const { session } = await stack.api.createSession();
    let sentBytes = 0;
    const piece = new Uint8Array(1024 * 1024);
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(Buffer.from(head))),
      pull(controller) {
        sentBytes += piece.length;
        // Never ends: whoever waits for the end waits for ever.
        controller.enqueue(piece);
      },
    });
    const answer = await stack.api.call('POST', `/sessions/${session.id}/attachments`, {
      raw: body,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(sentBytes).toBeGreaterThan(25 * 1024 * 1024);
    const { body: list } = await stack.api.call('GET', `/sessions/${session.id}/attachments`);
    expect(list.items).toEqual([]);
  });
});

describe('beside the API', () => {
  it('there is a page for people, and two questions for a supervisor', async () => {
    const docs = await fetch(`${stack.api.url}/docs`);
    expect([docs.status, docs.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const page = await docs.text();
    expect(page).toContain('/openapi.json');
    const files = [...page.matchAll(/(?:href|src)="(\/docs\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files).toHaveLength(2);
    for (const path of files) expect((await fetch(`${stack.api.url}${path}`)).status).toBe(200);
    expect((await fetch(`${stack.opsUrl}/livez`)).status).toBe(200);
    const ready = await fetch(`${stack.opsUrl}/readyz`);
    expect(ready.status).toBe(200);
    const told = await ready.text();
    for (const dependency of ['database', 'blob-store', 'event-bus']) expect(told).toContain(dependency);
  });
});
