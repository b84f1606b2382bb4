import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import type { ComposedWrite, OwnerWritten } from '@attache/database';
import { requireDecision } from '@attache/domain';
import { describe, expect, it } from 'vitest';
import { createSessionWriter } from './session-writer.ts';

const session = { tenantId: 't', sessionId: 's' };

const say = (text: string) => ({
  events: [{ kind: 'agent.output', actor: { type: 'service', id: 'runner-gateway' }, data: { text } } as never],
});

const textsOf = (writes: readonly ComposedWrite[]): string[] =>
  writes.flatMap(({ json }) => JSON.parse(json).events.map(({ data }: { data: { text: string } }) => data.text));

/** A database that commits when a test opens it, and refuses the named texts. */
function given({ refused = [] as string[], fault = new Fault('INTERNAL', 'This text cannot be stored.') } = {}) {
  const commits: string[][] = [];
  const gates: (() => void)[] = [];
  const writer = createSessionWriter(async (_session, writes) => {
    commits.push(textsOf(writes));
    await new Promise<void>((open) => gates.push(open));
    if (textsOf(writes).some((text) => refused.includes(text))) throw fault;
    return writes.map((): OwnerWritten => ({ outcome: 'written' }));
  });
  const answers: string[] = [];
  const write = (text: string, line = 'agent') => {
    const written = writer.write(session, line, say(text));
    written.then(
      () => answers.push(text),
      (error: Error) => answers.push(`${text}: ${error.message}`),
    );
    return written;
  };
  const commitNext = async () => {
    await expect.poll(() => gates.length).toBeGreaterThan(0);
    gates.shift()?.();
    // Output waits one round of the event loop.
    await nextRound();
    await nextRound();
  };
  return { writer, commits, answers, write, commitNext };
}

describe('the writer of a session', () => {
  it('commits at once what comes alone, and together what comes while a commit runs, in its order', async () => {
    const { commits, answers, write, commitNext } = given();
    write('one');
    await expect.poll(() => commits).toEqual([['one']]);
    for (const text of ['two', 'three', 'four']) write(text);
    await commitNext();
    expect([commits, answers]).toEqual([[['one'], ['two', 'three', 'four']], ['one']]);
    await commitNext();
    expect(answers).toEqual(['one', 'two', 'three', 'four']);
  });

  it('commits an agent’s last words with the end of its turn, which comes a few steps later', async () => {
    const { commits, write, commitNext } = given();
    write('last words');
    for (let step = 0; step < 20; step += 1) await undefined;
    write('end of the turn');
    await expect.poll(() => commits).toEqual([['last words', 'end of the turn']]);
    await commitNext();
  });

  it('lets no move wait for what may come with it', async () => {
    const { writer, commits, commitNext } = given();
    const id = randomUUID();
    const identity = { tenantId: id, sessionId: id, deliveryId: id, messageId: id, agentId: id, attempt: 1 };
    const decision = requireDecision({ ...identity, status: 'prepared' }, { kind: 'claimed', epoch: 1 });
    void writer.write(session, 'agent', { decision });
    for (let step = 0; step < 3; step += 1) await undefined;
    expect(commits).toHaveLength(1);
    await commitNext();
  });

  it('takes at most 64 writes, and at most a megabyte, into one commit', async () => {
    const { commits, write, commitNext } = given();
    for (let n = 0; n < 70; n += 1) write(String(n));
    await expect.poll(() => commits.map((texts) => texts.length)).toEqual([64]);
    await commitNext();
    expect(commits.map((texts) => texts.length)).toEqual([64, 6]);
    for (let n = 0; n < 3; n += 1) write('x'.repeat(600_000));
    for (let n = 0; n < 3; n += 1) await commitNext();
    expect(commits.map((texts) => texts.length)).toEqual([64, 6, 1, 1, 1]);
  });

  it('has room until as much waits as one commit takes, in number or in size', async () => {
    const { writer, commits, write, commitNext } = given();
    expect(writer.hasRoom('s')).toBe(true);
    write('under way');
    await expect.poll(() => commits).toEqual([['under way']]);
    expect(writer.hasRoom('s')).toBe(true);
    for (let n = 0; n < 63; n += 1) write(String(n));
    expect(writer.hasRoom('s')).toBe(true);
    write('one more');
    expect(writer.hasRoom('s')).toBe(false);
    await commitNext();
    await expect.poll(() => writer.hasRoom('s')).toBe(true);
    write('x'.repeat(1024 * 1024));
    expect(writer.hasRoom('s')).toBe(false);
    await commitNext();
    await commitNext();
    expect(writer.hasRoom('s')).toBe(true);
  });

  it('writes nothing of a line behind what could not be written, and all that others say [DL-61]', async () => {
    const { answers, write, commitNext } = given({ refused: ['bad'] });
    const rest = [write('before', 'a'), write('bad', 'a'), write('behind', 'a'), write('other', 'b')];
    const late = write('late', 'a');
    for (let n = 0; n < 4; n += 1) await commitNext();
    await Promise.allSettled([...rest, late]);
    expect(answers.toSorted()).toEqual([
      ...['bad: This text cannot be stored.', 'before', 'behind: This text cannot be stored.'],
      ...['late: This text cannot be stored.', 'other'],
    ]);
    write('again', 'a');
    await commitNext();
    expect(answers.at(-1)).toBe('again');
  });

  it('tries nothing singly where the session is of another gateway', async () => {
    const fault = new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');
    const { commits, answers, write, commitNext } = given({ refused: ['one'], fault });
    write('one', 'a');
    write('two', 'b');
    await commitNext();
    expect([commits.length, answers.length]).toEqual([1, 2]);
  });

  it('is settled once all is answered that came until then', async () => {
    const { writer, commits, answers, write, commitNext } = given({ refused: ['two'] });
    await writer.settled('s');
    write('one');
    await expect.poll(() => commits).toEqual([['one']]);
    write('two');
    const settled = writer.settled('s').then(() => [...answers]);
    await commitNext();
    write('three', 'other');
    await commitNext();
    expect(await settled).toEqual(['one', 'two: This text cannot be stored.']);
  });
});
