// hosted: long – the public API answers alone, from rows whose contract suite runs on Postgres
import { type Agent, type Grant, grantSchema, type Session } from '@attache/contracts';
import type { Answer } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, runScript } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['stranger'] });
});
afterAll(() => stack.stop());

const notForYou = { error: 'ResolveError', code: 'ATTACHMENT_NOT_FOUND' };
const nobody = 'agt_AAAAAAAAAAAAAAAAAAAAAA';
const nothing = 'att_AAAAAAAAAAAAAAAAAAAAAA';

type Note = { id: string; sha256: string };
type Fixture = Place & { note: Note };

async function openFixture(agents = 1): Promise<Fixture> {
  const place = await stack.api.createSession({ profile: 'scripted', model: 'script', agents });
  return { ...place, note: await uploadNote(place.session.id) };
}

async function uploadNote(sessionId: string): Promise<Note> {
  const bytes = new Uint8Array(Buffer.from('figures of the week'));
  const { attachment } = await stack.api.upload(sessionId, bytes, { name: 'note.txt', type: 'text/plain' });
  await stack.api.inspected(attachment.id);
  return attachment;
}

type Asked = { attachmentId: string; agentId: string; rights?: unknown; expiresAt?: string };
type Refused = { code: string; requestId: string };

const ask = (
  sessionId: string,
  asked: Asked,
  options: { credential?: string; headers?: Record<string, string> } = {},
) =>
  stack.api.call<{ grant: Grant } & Refused>('POST', `/sessions/${sessionId}/grants`, {
    body: { rights: ['read'], ...asked },
    ...options,
  });
const askFor = ({ session, agent, note }: Fixture, given: Partial<Asked> = {}) =>
  ask(session.id, { attachmentId: note.id, agentId: agent.id, ...given });
const revoke = (sessionId: string, grantId: string, credential?: string) =>
  stack.api.call<Refused>('DELETE', `/sessions/${sessionId}/grants/${grantId}`, credential ? { credential } : {});

async function grantIn(fixture: Fixture, given: Partial<Asked> = {}): Promise<Grant> {
  const { status, body } = await askFor(fixture, given);
  expect(status).toBe(201);
  return body.grant;
}

async function createToken(sessionId: string, rights: string[]): Promise<string> {
  const body = { externalUserId: `user-${rights.length}`, rights, ttlSeconds: 600 };
  return String((await stack.api.call('POST', `/sessions/${sessionId}/tokens`, { body })).body.token);
}

const eventsOf = async (session: Session, kind: string) =>
  (await stack.api.events(session.id)).filter((event) => event.kind === kind);
const read = ({ session, agent, note }: Fixture, reader = agent) =>
  runScript(stack.api, { session, agent: reader }, [`read ${note.id}`]);

function comparable({ status, body }: Answer<Refused>) {
  const { requestId: _own, ...problem } = body;
  return { status, problem };
}

describe('a grant by hand', () => {
  it('lets one agent read, and is in the log with who gave it [SR-28 BX-09]', async () => {
    const fixture = await openFixture(2);
    const { session, agent, note } = fixture;
    const other = session.agents[1] as Agent;
    expect(await read(fixture)).toEqual([notForYou]);
    const grant = await grantIn(fixture);
    expect(grantSchema.parse(grant)).toEqual(grant);
    expect(grant).toMatchObject({ attachmentId: note.id, agentId: agent.id, rights: ['read'] });
    expect(await read(fixture)).toEqual([note.sha256]);
    expect(await read(fixture, other)).toEqual([notForYou]);
    const data = { grantId: grant.id, attachmentId: note.id, agentId: agent.id };
    expect(await eventsOf(session, 'grant.created')).toMatchObject([{ actor: { type: 'key' }, data }]);
  });

  it('is given once, however often its request is repeated [BX-09]', async () => {
    const fixture = await openFixture();
    const asked = { attachmentId: fixture.note.id, agentId: fixture.agent.id };
    const headers = { 'idempotency-key': 'one-grant' };
    const answers = [
      await ask(fixture.session.id, asked, { headers }),
      await ask(fixture.session.id, asked, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(await eventsOf(fixture.session, 'grant.created')).toHaveLength(1);
  });

  it('ends when it is revoked, for the very process that read by it before [BX-09 SR-28]', async () => {
    const fixture = await openFixture();
    const { session, agent, note } = fixture;
    const grant = await grantIn(fixture);
    const script = ['process', `read ${note.id}`, 'list'];
    const [pid, ...before] = await runScript(stack.api, fixture, script);
    expect(before).toEqual([note.sha256, [note.id]]);
    expect((await revoke(session.id, grant.id)).status).toBe(204);
    expect(await runScript(stack.api, fixture, script)).toEqual([pid, notForYou, []]);
    const data = { grantId: grant.id, attachmentId: note.id, agentId: agent.id };
    expect(await eventsOf(session, 'grant.revoked')).toMatchObject([{ actor: { type: 'key' }, data }]);
    expect(await revoke(session.id, grant.id)).toMatchObject({ status: 404, body: { code: 'GRANT_NOT_FOUND' } });
    expect(await eventsOf(session, 'grant.revoked')).toHaveLength(1);
  });

  it('that a message gave is revoked like any other [SR-28 BX-09]', async () => {
    const fixture = await openFixture();
    expect(await runScript(stack.api, fixture, [`read ${fixture.note.id}`], [fixture.note.id])).toEqual([
      fixture.note.sha256,
    ]);
    const [created] = await eventsOf(fixture.session, 'grant.created');
    expect((await revoke(fixture.session.id, String(created?.data.grantId))).status).toBe(204);
    expect(await read(fixture)).toEqual([notForYou]);
  });

  it('ends with its time [BX-09]', async () => {
    const fixture = await openFixture();
    await runScript(stack.api, fixture, ['process']);
    const expiresAt = new Date(Date.now() + 4_000).toISOString();
    expect(await grantIn(fixture, { expiresAt })).toMatchObject({ expiresAt });
    expect(await read(fixture)).toEqual([fixture.note.sha256]);
    await vi.waitFor(async () => expect(await read(fixture)).toEqual([notForYou]), { timeout: 60_000, interval: 100 });
  });
});

describe('a grant is refused', () => {
  it('of a file of another session, a deleted or an unknown one: the same 404 [A1 A2 A3 A5 S3]', async () => {
    const fixture = await openFixture();
    const [foreign, deleted] = [(await openFixture()).note, await uploadNote(fixture.session.id)];
    expect((await stack.api.call('DELETE', `/attachments/${deleted.id}`)).status).toBe(204);
    const answers = await Promise.all(
      [foreign.id, deleted.id, nothing].map((attachmentId) =>
        askFor(fixture, { attachmentId, expiresAt: '2020-01-01T00:00:00Z' }),
      ),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'ATTACHMENT_NOT_FOUND' } });
      expect(comparable(answer)).toEqual(comparable(answers[0] as Answer<Refused>));
    }
  });

  it('to an agent of another session, a removed or an unknown one: the same 404 [A1 A2 A5 S3]', async () => {
    const fixture = await openFixture(2);
    const [foreign, removed] = [(await openFixture()).agent, fixture.session.agents[1] as Agent];
    await stack.api.call('DELETE', `/sessions/${fixture.session.id}/agents/${removed.id}`);
    const answers = await Promise.all([foreign.id, removed.id, nobody].map((agentId) => askFor(fixture, { agentId })));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
      expect(comparable(answer)).toEqual(comparable(answers[0] as Answer<Refused>));
    }
  });

  it('to another tenant, with ids of its own or of anyone [A1 A4 S1]', async () => {
    const fixture = await openFixture();
    const stranger = stack.apiOf('stranger');
    const theirs = await stranger.createSession();
    const give = async (attachmentId: string, agentId: string) =>
      comparable(
        await stranger.call<Refused>('POST', `/sessions/${theirs.session.id}/grants`, {
          body: { attachmentId, agentId, rights: ['read'] },
        }),
      );
    expect(await give(fixture.note.id, theirs.agent.id)).toEqual(await give(nothing, theirs.agent.id));
    expect(await give(fixture.note.id, fixture.agent.id)).toEqual(await give(nothing, nobody));
    const grant = await grantIn(fixture);
    const taken = (sessionId: string) =>
      stranger.call<Refused>('DELETE', `/sessions/${sessionId}/grants/${grant.id}`).then(comparable);
    expect(await taken(theirs.session.id)).toMatchObject({ status: 404, problem: { code: 'GRANT_NOT_FOUND' } });
    expect(await taken(fixture.session.id)).toMatchObject({ status: 404, problem: { code: 'SESSION_NOT_FOUND' } });
    expect(await read(fixture)).toEqual([fixture.note.sha256]);
  });

  it('to whoever lacks the right to read, or to grant [BX-09 AT-15]', async () => {
    const { session, agent, note } = await openFixture();
    const asked = { attachmentId: note.id, agentId: agent.id };
    const granting = await createToken(session.id, ['grants:manage']);
    const reading = await createToken(session.id, ['attachments:read', 'messages:send']);
    const both = await createToken(session.id, ['grants:manage', 'attachments:read', 'events:read']);
    for (const credential of [granting, reading])
      expect(await ask(session.id, asked, { credential })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    // A file that it may not see cannot be forbidden to it.
    expect((await ask(session.id, { ...asked, attachmentId: nothing }, { credential: granting })).status).toBe(404);
    const { status, body } = await ask(session.id, asked, { credential: both });
    expect(status).toBe(201);
    expect((await revoke(session.id, body.grant.id, reading)).status).toBe(403);
    expect((await revoke(session.id, body.grant.id, granting)).status).toBe(204);
    const [created] = await eventsOf(session, 'grant.created');
    expect(created?.actor).toMatchObject({ type: 'user' });
  });

  it.each<[string, object]>([
    ['a right that there is not', { rights: ['write'] }],
    ['no right', { rights: [] }],
    ['a time in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['a time that is none', { expiresAt: 'tomorrow' }],
    ['something more', { messageId: 'msg_AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('with %s: 400', async (_, given) => {
    const fixture = await openFixture();
    expect(await askFor(fixture, given)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await eventsOf(fixture.session, 'grant.created')).toEqual([]);
  });

  it('in a session that has ended; what was given can still be taken back', async () => {
    const fixture = await openFixture();
    const grant = await grantIn(fixture);
    await stack.api.call('POST', `/sessions/${fixture.session.id}/end`);
    expect(await askFor(fixture)).toMatchObject({ status: 409, body: { code: 'SESSION_ENDED' } });
    expect((await revoke(fixture.session.id, grant.id)).status).toBe(204);
  });

  it('to be revoked in a session that is not its own [A1 A2 S3]', async () => {
    const [fixture, elsewhere] = [await openFixture(), await openFixture()];
    const grant = await grantIn(fixture);
    const answer = await revoke(elsewhere.session.id, grant.id);
    expect(answer).toMatchObject({ status: 404, body: { code: 'GRANT_NOT_FOUND' } });
    for (const id of ['grt_AAAAAAAAAAAAAAAAAAAAAA', 'grt_x'])
      expect(comparable(await revoke(elsewhere.session.id, id))).toEqual(comparable(answer));
    expect(await read(fixture)).toEqual([fixture.note.sha256]);
  });
});
