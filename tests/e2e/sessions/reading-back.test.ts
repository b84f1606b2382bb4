// hosted: long – reads by plain statements, which the database contract holds on both
import { type SessionPolicy, sessionPolicySchema } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const read = (path: string, credential?: string) =>
  stack.api.call('GET', path, credential === undefined ? {} : { credential });

async function createToken(sessionId: string, rights: string[]): Promise<string> {
  const body = { externalUserId: 'anna', rights, ttlSeconds: 3600 };
  return String((await stack.api.call('POST', `/sessions/${sessionId}/tokens`, { body })).body.token);
}

const createCase = async (externalId: string) => {
  const { body } = await stack.api.call<{ session: { id: string; createdAt: string } }>('POST', '/sessions', {
    body: { externalId, agents: [] },
  });
  // The next one is later: those of one millisecond come in no promised order.
  await vi.waitUntil(() => Date.now() > Date.parse(body.session.createdAt), { timeout: 60_000, interval: 1 });
  return body.session.id;
};

describe('a platform that lost an id', () => {
  it('finds its sessions again, newest first, by its own id and by their status [AT-08]', async () => {
    const externalId = `case ${crypto.randomUUID()}`;
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift(await createCase(externalId));
    await stack.api.call('POST', `/sessions/${ids[1]}/end`);
    const query = `externalId=${encodeURIComponent(externalId)}`;
    const list = async (more = '') => {
      const { body, status } = await read(`/sessions?${query}${more}`);
      expect(status).toBe(200);
      return body as unknown as { items: { id: string }[]; nextCursor: string | null };
    };
    expect((await list()).items.map(({ id }) => id)).toEqual(ids);
    expect((await list('&status=ended')).items.map(({ id }) => id)).toEqual([ids[1]]);
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await list(`&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(ids);
  });

  it('finds a message again with what became of it', async () => {
    const place = await stack.api.createSession();
    const { delivery } = await takeTurn(stack.api, place, 'hello');
    const { body, status } = await read(`/messages/${delivery.messageId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      message: { id: delivery.messageId, sessionId: place.session.id, to: [place.agent.id], text: 'hello' },
      deliveries: [{ id: delivery.id, status: 'responded' }],
    });
  });

  it('sees when each of its keys was used last', async () => {
    await vi.waitFor(
      async () => {
        const { body } = await read('/keys');
        const [first] = body.items as { lastUsedAt?: string }[];
        expect(Date.parse(first?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 3_600_000);
      },
      { timeout: 60_000 },
    );
  });
});

describe('a composer', () => {
  it('learns in advance what each agent takes, and what may be uploaded', async () => {
    const { session, agent } = await stack.api.createSession();
    const other = { name: 'reader', role: 'member', target: { profile: 'example', model: 'example-text' } };
    const added = await stack.api.call<{ agent: { id: string } }>('POST', `/sessions/${session.id}/agents`, {
      body: other,
    });
    const readPolicy = async (query = '') =>
      (await read(`/sessions/${session.id}/policy${query}`)).body.policy as SessionPolicy;
    const policy = await readPolicy();
    expect(sessionPolicySchema.strict().parse(policy)).toEqual(policy);
    expect(policy.maxUploadBytes).toBeGreaterThan(0);
    const ofImages = policy.agents.map(({ accepts }) => accepts.find(({ kind }) => kind === 'image')?.accepted);
    expect(policy.agents.map(({ agentId }) => agentId)).toEqual([agent.id, added.body.agent.id]);
    expect(ofImages).toEqual(['yes', 'no']);
    const { agents } = await readPolicy(`?agents=${added.body.agent.id}`);
    expect(agents).toEqual([policy.agents[1]]);
    const foreign = await stack.api.createSession();
    const refused = await read(`/sessions/${session.id}/policy?agents=${foreign.agent.id}`);
    expect(refused).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
  });

  it('gets the URLs of a gallery in one call, and learns what has none', async () => {
    const { session } = await stack.api.createSession();
    const pictures = [makePng(300, 200), makePng(301, 200)];
    const uploaded = await Promise.all(pictures.map((bytes) => stack.api.upload(session.id, bytes)));
    const ids = uploaded.map(({ attachment }) => attachment.id);
    for (const id of ids) await stack.api.inspected(id);
    const foreign = await stack.api.createSession();
    const { attachment: elsewhere } = await stack.api.upload(foreign.session.id, makePng(30, 20));
    const create = (more: object = {}) =>
      stack.api.call('POST', `/sessions/${session.id}/urls`, {
        body: { attachmentIds: [...ids, elsewhere.id], ...more },
      });
    const { body, status } = await create();
    expect(status).toBe(201);
    expect(body.missing).toEqual([{ attachmentId: elsewhere.id, what: 'attachment' }]);
    const urls = body.urls as { attachmentId: string; url: string }[];
    expect(urls.map(({ attachmentId }) => attachmentId)).toEqual(ids);
    for (const [index, { url }] of urls.entries())
      expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(new Uint8Array(pictures[index] ?? []));
    const texts = await create({ variant: 'document-text' });
    expect(texts.body.urls).toEqual([]);
    expect(texts.body.missing).toContainEqual({ attachmentId: ids[0], what: 'variant' });
    const previewed = await vi.waitFor(
      async () => {
        const { body: previews } = await create({ variant: 'preview' });
        expect(previews.urls).toHaveLength(2);
        return previews.urls as { url: string }[];
      },
      { timeout: 60_000 },
    );
    for (const { url } of previewed) expect((await fetch(url)).headers.get('content-type')).toMatch(/^image\//);
  });
});

describe('who may read back', () => {
  it('lists the sessions of its tenant by an API key alone; a token sees its own session and nothing of others [S29 AT-08]', async () => {
    const place = await stack.api.createSession();
    const { delivery } = await takeTurn(stack.api, place, 'hello');
    const foreign = await stack.api.createSession();
    const own = await createToken(place.session.id, ['events:read', 'attachments:read', 'urls:create']);
    const stranger = await createToken(foreign.session.id, ['events:read', 'attachments:read']);
    expect((await read('/sessions', own)).status).toBe(403);
    expect((await read(`/messages/${delivery.messageId}`, own)).status).toBe(200);
    expect((await read(`/sessions/${place.session.id}/policy`, own)).status).toBe(200);
    const answers = [
      await read(`/messages/${delivery.messageId}`, stranger),
      await read(`/sessions/${place.session.id}/policy`, stranger),
      await stack.api.call('POST', `/sessions/${place.session.id}/urls`, {
        credential: stranger,
        body: { attachmentIds: ['att_AAAAAAAAAAAAAAAAAAAAAA'] },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const blind = await createToken(place.session.id, ['attachments:read']);
    expect((await read(`/messages/${delivery.messageId}`, blind)).status).toBe(403);
  });

  it.each([
    ['/sessions?status=gone', 400],
    ['/sessions?cursor=forged', 400],
    ['/sessions?externalId=%00', 400],
    ['/sessions?limit=0', 400],
    ['/messages/msg_AAAAAAAAAAAAAAAAAAAAAA', 404],
    ['/messages/nothing', 404],
    ['/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA/policy', 404],
  ])('answers %s with %i', async (path, status) => {
    expect((await read(path)).status).toBe(status);
  });
});
