// hosted: every – a grant is made by one process and asked for by another
import { createHash } from 'node:crypto';
import type { Agent, AgentOutput, Session } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { runScript, takeTurn } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const UNKNOWN_ID = 'att_AAAAAAAAAAAAAAAAAAAAAA';
const notForYou = { error: 'ResolveError', code: 'ATTACHMENT_NOT_FOUND' };

const openSession = (agents = 1) => stack.api.createSession({ profile: 'scripted', model: 'script', agents });

async function uploadNote(sessionId: string, text: string): Promise<{ id: string; sha256: string }> {
  const bytes = new Uint8Array(Buffer.from(text));
  const { attachment } = await stack.api.upload(sessionId, bytes, { name: 'note.txt', type: 'text/plain' });
  await stack.api.inspected(attachment.id);
  return attachment;
}

const second = (session: Session): Agent => session.agents[1] as Agent;

describe('an agent', () => {
  it('sees nothing that was only uploaded: naming it in a message is the grant [SR-28 DL-91]', async () => {
    const place = await openSession();
    const named = await uploadNote(place.session.id, 'named');
    const unnamed = await uploadNote(place.session.id, 'unnamed');
    expect(await runScript(stack.api, place, ['list', `resolve ${named.id}`])).toEqual([[], notForYou]);
    const script = ['list', `resolve ${named.id}`, `read ${named.id}`, `resolve ${unnamed.id}`, `read ${unnamed.id}`];
    expect(await runScript(stack.api, place, script, [named.id])).toEqual([
      [named.id],
      named.sha256,
      named.sha256,
      notForYou,
      notForYou,
    ]);
    const granted = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'grant.created');
    expect(granted.map(({ data }) => [data.agentId, data.attachmentId])).toEqual([[place.agent.id, named.id]]);
  });

  it('keeps what it was granted for later turns [SR-28 AT-35]', async () => {
    const place = await openSession();
    const note = await uploadNote(place.session.id, 'for later');
    await runScript(stack.api, place, ['list'], [note.id]);
    expect(await runScript(stack.api, place, [`read ${note.id}`])).toEqual([note.sha256]);
  });

  it('does not see what another agent of its session was given or made [SR-28]', async () => {
    const { session, agent } = await openSession(2);
    const note = await uploadNote(session.id, 'for the first agent');
    const [output] = (await runScript(stack.api, { session, agent }, ['put result.txt'], [note.id])) as AgentOutput[];
    const made = String(output?.attachmentId);
    const script = ['list', `resolve ${note.id}`, `file ${note.id}`, `resolve ${made}`];
    const other = { session, agent: second(session) };
    expect(await runScript(stack.api, other, script)).toEqual([[], notForYou, notForYou, notForYou]);
    expect(await runScript(stack.api, other, [`read ${made}`], [made])).toEqual([
      createHash('sha256').update('result.txt by a tool').digest('hex'),
    ]);
  });

  it('meets ids of other sessions, deleted, unknown and malformed ones with the same typed error [AT-12 S1]', async () => {
    const place = await openSession();
    const elsewhere = await openSession();
    const foreign = await uploadNote(elsewhere.session.id, 'of another session');
    await runScript(stack.api, elsewhere, ['list'], [foreign.id]);
    const deleted = await uploadNote(place.session.id, 'soon deleted');
    await runScript(stack.api, place, ['list'], [deleted.id]);
    expect((await stack.api.call('DELETE', `/attachments/${deleted.id}`)).status).toBe(204);
    const ids = [foreign.id, deleted.id, UNKNOWN_ID, 'att_x', '../../etc/passwd', ''];
    const script = ids.map((id) => `resolve ${id}`);
    expect(await runScript(stack.api, place, script)).toEqual(ids.map(() => notForYou));
  });

  it('gets a file as a read-only copy in its own folder, and reading it is logged [AT-32 SR-25 DL-78]', async () => {
    const place = await openSession();
    const note = await uploadNote(place.session.id, 'to be read from disk');
    const [file] = await runScript(stack.api, place, [`file ${note.id}`], [note.id]);
    expect(file).toEqual({ mode: '400', isInOwnFolder: true, sha256: note.sha256 });
    const viewed = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'resource.viewed');
    expect(viewed.map(({ data, actor }) => [data.attachmentId, actor.id])).toEqual([[note.id, place.agent.id]]);
  });

  it('has one small surface for all of it: put, describe, read, sign, place locally and list [AT-09]', async () => {
    const place = await openSession();
    const [output] = (await runScript(stack.api, place, ['put all.txt'])) as AgentOutput[];
    const id = String(output?.attachmentId);
    const digest = createHash('sha256').update('all.txt by a tool').digest('hex');
    await stack.api.inspected(id);
    const [listed, described, read, file, url] = await runScript(stack.api, place, [
      ...['list', `resolve ${id}`, `read ${id}`, `file ${id}`, `url ${id}`],
    ]);
    expect([listed, described, read]).toEqual([[id], digest, digest]);
    expect(file).toMatchObject({ isInOwnFolder: true, sha256: digest });
    expect(await (await fetch(String(url))).text()).toBe('all.txt by a tool');
  });

  it('gives a file back as a tool output with a URL that works at the front door [AT-33 AT-25]', async () => {
    const place = await openSession();
    const [output] = (await runScript(stack.api, place, ['put report.txt'])) as AgentOutput[];
    expect(output).toMatchObject({
      name: 'report.txt',
      mimeType: 'text/plain',
      attachmentId: expect.stringMatching(/^att_/),
    });
    expect(await (await fetch(String(output?.displayUrl))).text()).toBe('report.txt by a tool');
    const attachment = await stack.api.inspected(String(output?.attachmentId));
    expect(attachment).toMatchObject({ origin: 'tool-output', sessionId: place.session.id, status: 'ready' });
  });
});

describe('an agent’s access to its gateway', () => {
  it('is a socket and a token in its environment, and nothing of the stores [AT-13 AT-24]', async () => {
    const { api } = stack;
    const { answer } = await takeTurn(api, await api.createSession(), 'example: env-keys');
    const names = /My environment: (.*)\./.exec(answer)?.[1]?.split(' ') ?? [];
    const ours = ['ATTACHE_AGENT_SOCKET', 'ATTACHE_AGENT_TOKEN'];
    expect(names).toEqual(expect.arrayContaining(ours));
    const plain = ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR', 'TZ'];
    expect(names.filter((name) => !plain.includes(name) && !ours.includes(name))).toEqual(['ATTACHE_CHILD_OF']);
  });

  it('ends with its process: the token of an earlier one is refused [AT-24]', async () => {
    const place = await openSession();
    expect(await runScript(stack.api, place, ['keep-token', 'use-kept-token'])).toEqual(['kept', 200]);
    await takeTurn(stack.api, place, 'do: crash-once');
    expect(await runScript(stack.api, place, ['use-token', 'use-kept-token'])).toEqual([200, 401]);
  });
});
