import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { childMarker, incarnationOf } from './child-marker.ts';
import { sweepOrphans } from './sweep-orphans.ts';

const replica = `test-${process.pid}`;
const now = { replica, incarnation: '2' };
let children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

async function leave(marker: string): Promise<ChildProcess> {
  const child = spawn('/bin/sleep', ['600'], { env: { ATTACHE_CHILD_OF: marker }, detached: true, stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

const later = () => Date.now() + 60_000;

describe('sweepOrphans', () => {
  it('kills what an earlier life of this gateway left, in whatever session it is', async () => {
    const orphan = await leave(childMarker({ replica, incarnation: '1' }));
    const ended = once(orphan, 'exit');
    expect(await sweepOrphans({ marker: now, startedBefore: later() })).toEqual({ killedCount: 1, remainingCount: 0 });
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('spares its own children, those of other gateways, and what started later', async () => {
    const own = await leave(childMarker(now));
    const foreign = await leave(childMarker({ replica: `${replica}.x`, incarnation: '1' }));
    const young = await leave(childMarker({ replica, incarnation: '1' }));
    const startedBefore = Date.now() - 60_000;
    expect(await sweepOrphans({ marker: now, startedBefore })).toEqual({ killedCount: 0, remainingCount: 0 });
    expect([own, foreign, young].map((child) => child.exitCode ?? child.signalCode)).toEqual([null, null, null]);
  });
});

it('a marker names the replica and its incarnation', () => {
  expect(incarnationOf('a.b.3', 'a.b')).toBe('3');
  expect(incarnationOf('a.b.3', 'a')).toBeUndefined();
  expect(incarnationOf('', 'a')).toBeUndefined();
});
