import type { Session } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem, type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, sendRaw } from '../fixtures/raw-http.ts';

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

const call = (method: string, path: string, request?: Parameters<HostileStack['api']['call']>[2]) =>
  stack.api.call(method, path, request);
const createWith = (agents: unknown, more: object = {}) => call('POST', '/sessions', { body: { agents, ...more } });
const member = (profile: string, model?: string) => ({ name: 'a', role: 'member', target: { profile, model } });
const inSession = (path: string) => `/sessions/${stack.session.id}${path}`;
const send = (body: object, headers: Record<string, string> = {}) =>
  call('POST', inSession('/messages'), { body: { to: [stack.agent.id], text: 'hello', ...body }, headers });
const sendText = (raw: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  call('POST', inSession('/messages'), { raw, headers: { 'content-type': type } });

const countMessages = async () =>
  (await stack.api.events(stack.session.id)).filter(({ kind }) => kind === 'message.accepted').length;

describe('a target that does not exist is refused', () => {
  it.each([
    ['an unknown profile', 'no-such-profile', undefined],
    ['a profile of every object', 'constructor', undefined],
    ['a profile of every prototype', '__proto__', undefined],
    ['no profile', '', undefined],
    ['a path', '../../etc/passwd', undefined],
    ['a model that is a flag [A28]', 'example', '--settings=x'],
    ['a model with a line break', 'example', 'a\nb'],
    ['a model with blanks', 'example', 'example vision'],
    ['a model of 10 kB', 'example', 'm'.repeat(10_000)],
    ['no model', 'example', ''],
  ])('%s', async (_, profile, model) => {
    expectProblem(await createWith([member(profile, model)]), 422, 'TARGET_UNKNOWN');
    const added = await call('POST', inSession('/agents'), { body: member(profile, model) });
    expectProblem(added, 422, 'TARGET_UNKNOWN');
  });

  it('two agents of one name', async () => {
    expectProblem(await createWith([member('example'), member('example')]), 400, 'INVALID_REQUEST');
    const again = { ...member('example'), name: stack.agent.name };
    expectProblem(await call('POST', inSession('/agents'), { body: again }), 409, 'AGENT_NAME_TAKEN');
  });

  it.each([['../x'], ['-rf'], [''], ['a b'], ['a\r\nb'], ['a'.repeat(65)], ['__proto__']])(
    'an agent named %j',
    async (name) => {
      expectProblem(await createWith([{ ...member('example'), name }]), 400, 'INVALID_REQUEST');
    },
  );
});

describe('a message that is none is refused and not kept', () => {
  const none: [what: string, body: object][] = [
    ['nobody to send it to', { to: [] }],
    ['a name instead of an id', { to: ['agent-1'] }],
    ['an id with blanks around it', { attachmentIds: [' att_AAAAAAAAAAAAAAAAAAAAAA '] }],
    ['an object in the place of an id [S2]', { attachmentIds: [{ id: 'att_AAAAAAAAAAAAAAAAAAAAAA' }] }],
    ['300 attachments', { attachmentIds: Array.from({ length: 300 }, () => 'att_AAAAAAAAAAAAAAAAAAAAAA') }],
    ['no text', { text: undefined }],
    ['neither text nor file', { text: ' \n\t' }],
    ['a text of two million letters', { text: 'x'.repeat(2_000_000) }],
    ['a number as its text', { text: 7 }],
    ['a field that does not exist', { files: [{ path: '/etc/passwd' }] }],
    ['a file inside it that is no base64', { attachments: [{ data: '../etc/passwd', mimeType: 'image/png' }] }],
    ['a file inside it without bytes', { attachments: [{ data: '', mimeType: 'image/png' }] }],
    ['too many files inside it', { attachments: new Array(21).fill({ data: 'AAAA', mimeType: 'image/png' }) }],
  ];

  it.each(none)('%s', async (_, body) => {
    const before = await countMessages();
    expectProblem(await send(body), 400, 'INVALID_REQUEST');
    expect(await countMessages()).toBe(before);
  });

  it('but a file without a text is one', async () => {
    const { attachment } = await stack.api.upload(stack.session.id, makePng(3, 3));
    await stack.api.inspected(attachment.id);
    const body = { to: [stack.agent.id], attachmentIds: [attachment.id] };
    const answer = await call('POST', inSession('/messages'), { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  });

  it('an agent and an attachment that nobody knows', async () => {
    expectProblem(await send({ to: ['agt_AAAAAAAAAAAAAAAAAAAAAA'] }), 404, 'AGENT_NOT_FOUND');
    expectProblem(await send({ attachmentIds: ['att_AAAAAAAAAAAAAAAAAAAAAA'] }), 404, 'ATTACHMENT_NOT_FOUND');
  });
});

describe('a body that is no request is refused', () => {
  const nest = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

  it.each([
    ['JSON of 20 MB', `{"text":"${'x'.repeat(20_000_000)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['lists 1,000 deep', nest('[', ']', 1_000), 400, 'INVALID_REQUEST'],
    ['objects 1,000 deep', `${'{"to":'.repeat(1_000)}1${'}'.repeat(1_000)}`, 400, 'INVALID_REQUEST'],
    ['lists a million deep', nest('[', ']', 1_000_000), 400, 'INVALID_REQUEST'],
    [
      'a million keys',
      `{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
      400,
      'INVALID_REQUEST',
    ],
    ['nothing', '', 400, 'INVALID_REQUEST'],
    ['null', 'null', 400, 'INVALID_REQUEST'],
    ['a list', '[]', 400, 'INVALID_REQUEST'],
    ['a number without end', `{"to":${'9'.repeat(100_000)}}`, 400, 'INVALID_REQUEST'],
    ['half of a body', '{"to":[', 400, 'INVALID_REQUEST'],
    ['a key of every prototype', '{"__proto__":{"to":[]},"text":"x"}', 400, 'INVALID_REQUEST'],
    ['a key of every object', '{"constructor":{"prototype":{"to":[]}},"text":"x"}', 400, 'INVALID_REQUEST'],
  ])('%s [A12]', async (_, text, status, code) => {
    expectProblem(await sendText(text), status, code);
    expect(({} as { to?: unknown }).to).toBeUndefined();
  });

  it('bytes that are no UTF-8', async () => {
    expectProblem(await sendText(Uint8Array.from([0x22, 0xff, 0xfe, 0x22])), 400, 'INVALID_REQUEST');
  });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json-patch+json'],
  ])('the type %s', async (type) => {
    expectProblem(await sendText('{}', type), 400, 'INVALID_REQUEST');
  });

  it.each([
    ['NUL', 'a\u0000b'],
    ['half of a letter', 'a\ud800b'],
    ['control characters', 'a\u0007\u001b[2Jb'],
    ['marks that reverse the text', 'a\u202eb'],
  ])('%s in texts is taken or refused, never a fault of ours', async (_, text) => {
    const answers = [
      await send({ text }),
      await createWith([], { externalId: text }),
      await createWith([], { metadata: { [text]: text } }),
      await createWith([], { participants: [{ externalUserId: text, rights: [] }] }),
      await call('GET', inSession(`/attachments?name=${encodeURIComponent(text.toWellFormed())}`)),
      await call('POST', inSession('/plan'), { body: { to: [stack.agent.id], text, attachmentIds: [] } }),
    ];
    expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([]);
  });

  it('metadata of more than 100 keys', async () => {
    const metadataOf = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    expectProblem(await createWith([], { metadata: metadataOf(101) }), 400, 'INVALID_REQUEST');
    expect((await createWith([], { metadata: metadataOf(100) })).status).toBe(201);
  });

  it('metadata with a name of more than 100 letters, or a text of more than 1,000', async () => {
    expectProblem(await createWith([], { metadata: { ['k'.repeat(101)]: 1 } }), 400, 'INVALID_REQUEST');
    expectProblem(await createWith([], { metadata: { k: 'x'.repeat(1001) } }), 400, 'INVALID_REQUEST');
    expect((await createWith([], { metadata: { ['k'.repeat(100)]: 'x'.repeat(1000) } })).status).toBe(201);
  });

  it('metadata with names of every object is data', async () => {
    const raw = '{"agents":[],"metadata":{"__proto__":"x","constructor":"y","toString":"z"}}';
    const answer = await call('POST', '/sessions', { raw, headers: { 'content-type': 'application/json' } });
    expect([201, 400]).toContain(answer.status);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });
});

describe('what has ended or was never given is refused', () => {
  it('an ended session', async () => {
    const { session, agent } = await stack.api.createSession();
    const { attachment } = await stack.api.upload(session.id, makePng(5, 5));
    expect((await call('POST', `/sessions/${session.id}/end`)).status).toBe(202);
    const body = { to: [agent.id], text: 'hello', attachmentIds: [attachment.id] };
    expectProblem(await call('POST', `/sessions/${session.id}/messages`, { body }), 409, 'SESSION_ENDED');
    const upload = { raw: makePng(6, 6), headers: { 'content-type': 'image/png' } };
    expectProblem(await call('PUT', `/sessions/${session.id}/attachments`, upload), 409, 'SESSION_ENDED');
    const added = { ...member('example'), name: 'b' };
    expectProblem(await call('POST', `/sessions/${session.id}/agents`, { body: added }), 409, 'SESSION_ENDED');
  });

  it('a token that has expired, and one of another session', async () => {
    const participants = [{ externalUserId: 'u', rights: ['attachments:read'] }];
    const { body } = await stack.api.call<{ session: Session }>('POST', '/sessions', {
      body: { agents: [], participants },
    });
    const tokenFor = async (ttlSeconds: number) => {
      const request = { body: { externalUserId: 'u', rights: ['attachments:read'], ttlSeconds } };
      return (await stack.api.call<{ token: string }>('POST', `/sessions/${body.session.id}/tokens`, request)).body
        .token;
    };
    const own = `/sessions/${body.session.id}/attachments`;
    const token = await tokenFor(60);
    expect((await call('GET', own, { credential: token })).status).toBe(200);
    expectProblem(await call('GET', inSession('/attachments'), { credential: token }), 404, 'SESSION_NOT_FOUND');
    expectProblem(await call('POST', '/sessions', { body: { agents: [] }, credential: token }), 403, 'FORBIDDEN');
    const short = await tokenFor(1);
    await expect
      .poll(async () => (await call('GET', own, { credential: short })).status, { timeout: 60_000 })
      .toBe(401);
    expectProblem(await call('GET', own, { credential: short }), 401, 'UNAUTHENTICATED');
  });

  it.each([
    ['none', null],
    ['an empty one', ''],
    ['another word', 'hello'],
    ['a key of nobody', `atk_AAAAAAAAAAAAAAAAAAAAAA_${'A'.repeat(43)}`],
    ['a token without claims', `ats_e30.${'A'.repeat(43)}`],
    ['a token of 30 kB', `ats_${'A'.repeat(30_000)}.x`],
  ])('a credential: %s', async (_, credential) => {
    expectProblem(await call('GET', inSession(''), { credential }), 401, 'UNAUTHENTICATED');
  });

  it('an idempotency key that was used for something else', async () => {
    const headers = { 'idempotency-key': 'used-before' };
    expect((await send({ text: 'one' }, headers)).status).toBe(202);
    expectProblem(await send({ text: 'two' }, headers), 422, 'IDEMPOTENCY_KEY_REUSED');
    expectProblem(await send({}, { 'idempotency-key': 'with blanks' }), 400, 'INVALID_REQUEST');
    expectProblem(await send({}, { 'idempotency-key': 'k'.repeat(201) }), 400, 'INVALID_REQUEST');
    const upload = (text: string) =>
      call('PUT', inSession('/attachments'), {
        raw: text,
        headers: { 'idempotency-key': 'file', 'content-type': 'text/plain' },
      });
    expect((await upload('one')).status).toBe(201);
    expectProblem(await upload('two'), 422, 'IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    ['/attachments?cursor=forged'],
    ['/attachments?cursor=m8x.00000000-0000-0000-0000-000000000000.AAAAAAAAAAA'],
    ['/attachments?limit=0'],
    ['/attachments?limit=1e9'],
    ['/attachments?kind=__proto__'],
    ['/attachments?origin[]=upload&origin=no'],
    ['/events?after=-1'],
    ['/events?after=999999'],
    ['/events?after=1%20or%201=1'],
    ['/events?cursor=NaN'],
  ])('a query that was never given: %s', async (query) => {
    expectProblem(await call('GET', inSession(query)), 400, 'INVALID_REQUEST');
  });

  it.each([['x'], ['-1'], ['999999'], ['1.5'], ['1e3'], ['0x1'], ['9'.repeat(400)]])(
    'a Last-Event-ID of %s',
    async (id) => {
      const headers = { accept: 'text/event-stream', 'last-event-id': id };
      expectProblem(await call('GET', inSession('/events'), { headers }), 400, 'INVALID_REQUEST');
    },
  );

  it.each([['bytes=9999999-'], ['bytes=-0'], [`bytes=${'9'.repeat(40)}-`]])('a Range of %s', async (range) => {
    const { displayUrl } = await stack.api.upload(stack.session.id, makePng(5, 5));
    const response = await fetch(displayUrl, { headers: { range } });
    const { code } = (await response.json()) as { code: string };
    expect([response.status, code]).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
  });
});

it.each([['bytes=5-2'], ['bytes=-'], ['bytes=a-b'], ['bytes=0x1-2'], ['bytes=1-2-3']])(
  'a Range of %s is none, and the whole file comes [AT-22]',
  async (range) => {
    const bytes = makePng(5, 5);
    const { displayUrl } = await stack.api.upload(stack.session.id, bytes);
    const response = await fetch(displayUrl, { headers: { range } });
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  },
);

it.each(['gzip', 'br', 'deflate, gzip', 'x-unknown'])(
  'a body with the Content-Encoding %s is refused: an upload, a form, a message',
  async (encoding) => {
    const headers = { 'content-encoding': encoding };
    const code = 'UNSUPPORTED_MEDIA_TYPE';
    expectProblem(await call('PUT', inSession('/attachments'), { raw: makePng(5, 5), headers }), 415, code);
    const form = new FormData();
    form.append('file', new Blob(['x']), 'x.txt');
    expectProblem(await call('POST', inSession('/attachments'), { raw: form, headers }), 415, code);
    expectProblem(await send({}, headers), 415, code);
  },
);

describe('an address that is not ASCII is malformed', () => {
  it.each([
    ['/v1/attachments/é/raw', 'localhost'],
    ['/v1/attachments/\xff\xfe/raw?sig=ü', 'localhost'],
    ['/v1/sessions', 'exämple'],
    ['/v1/sessions', 'a b'],
  ])('%s at %s', async (path, host) => {
    const answer = await sendRaw(stack.url, [`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
    expect(answer?.status).toBe(400);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'INVALID_REQUEST', status: 400 });
  });
});

it('a path with dots is the one that it leads to, and asks for its credential [S31 A23]', async () => {
  const path = '/v1/sessions/%2e%2e/sessions';
  const answer = await sendRaw(stack.url, [formatHead('GET', path, 'nobody')]);
  expect(answer?.status).toBe(401);
});

describe('a path that is no route is unknown', () => {
  it.each([
    ['GET', '/v1//sessions'],
    ['GET', '//v1/sessions'],
    ['GET', '/v1/sessions/%2e%2e/%2e%2e/sessions'],
    ['GET', '/v1/sessions%2f'],
    ['GET', '/V1/sessions'],
    ['GET', '/v1/Sessions'],
    ['GET', '/v1/sessions./'],
    ['GET', '/v1/'],
    ['GET', '/.env'],
    ['GET', '/__proto__'],
    ['DELETE', '/v1/sessions'],
    ['PUT', '/v1/sessions'],
    ['TRACE', '/v1/sessions'],
    ['OPTIONS', '/v1/sessions'],
    ['PROPFIND', '/v1/sessions'],
  ])('%s %s [S31 A23]', async (method, path) => {
    const answer = await sendRaw(stack.url, [formatHead(method, path, stack.api.apiKey)]);
    expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });

  it.each([
    ['//', (id: string) => `/v1//sessions//${id}`],
    ['a slash that is encoded', (id: string) => `/v1/sessions%2F${id}`],
    ['upper case', (id: string) => `/V1/SESSIONS/${id}`],
    ['a dot at the end', (id: string) => `/v1/sessions/${id}.`],
    ['a way up', (id: string) => `/v1/docs/../sessions/${id}`],
    ['a semicolon', (id: string) => `/v1/sessions/${id};x=1`],
    ['an id in lower case', (id: string) => `/v1/sessions/${id.toLowerCase()}`],
    ['NUL at the end', (id: string) => `/v1/sessions/${id}%00`],
  ])('a session by %s opens nothing without a credential [S31 A23]', async (_, pathOf) => {
    const head = `GET ${pathOf(stack.session.id)} HTTP/1.1\r\nhost: attache\r\n\r\n`;
    const answer = await sendRaw(stack.url, [head]);
    expect([401, 404]).toContain(answer?.status);
    expect(answer?.body).not.toContain(stack.session.id);
  });

  it('whatever is no HTTP ends its own connection alone [S13]', async () => {
    const head = formatHead('GET', '/v1/sessions', stack.api.apiKey, [`x-long: ${'x'.repeat(40_000)}`]);
    expect((await sendRaw(stack.url, [head]))?.status).toBe(431);
    expect((await sendRaw(stack.url, ['\u0016\u0003\u0001 no HTTP at all\r\n\r\n']))?.status).toBe(400);
    expect((await sendRaw(stack.url, ['GET / HTTP/1.1\r\nhost: a\r\nbroken header\r\n\r\n']))?.status).toBe(400);
    expect((await sendRaw(stack.url, [`GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`]))?.status).toBe(431);
  });
});

it('leaves no orphan and no reservation behind', async () => {
  await stack.expectAlive();
  await stack.expectCleanEnd();
});
