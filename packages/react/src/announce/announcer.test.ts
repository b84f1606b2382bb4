import { describe, expect, it, vi } from 'vitest';
import { createAnnouncer } from './announcer.ts';
import { listChanges } from './list-changes.ts';

const open = () => createAnnouncer({ describe: (kind, names) => `${names.length} ${kind}`, pauseMs: 1 });

describe('announcements', () => {
  it('put many changes into one sentence of each kind', async () => {
    const announcer = open();
    announcer.note(Array.from({ length: 500 }, () => ({ kind: 'added' as const, name: 'a' })));
    announcer.note([
      { kind: 'ready', name: 'a' },
      { kind: 'failed', name: 'b' },
    ]);
    expect(announcer.getSnapshot().id).toBe(0);
    await vi.waitFor(() => expect(announcer.getSnapshot().id).toBe(1), { timeout: 30_000 });
    expect(announcer.getSnapshot()).toEqual({ polite: '500 added 1 ready', assertive: '1 failed', id: 1 });
  });

  it('interrupt at once, and say the same words again as something new', () => {
    const announcer = open();
    announcer.interrupt('refused');
    announcer.interrupt('refused');
    expect(announcer.getSnapshot()).toEqual({ polite: '', assertive: 'refused', id: 2 });
  });

  it('begin again after they were stopped, as React does it twice', async () => {
    const announcer = open();
    announcer.note([{ kind: 'added', name: 'a' }]);
    announcer.stop();
    announcer.note([{ kind: 'added', name: 'b' }]);
    await vi.waitFor(() => expect(announcer.getSnapshot().polite).toBe('1 added'), { timeout: 30_000 });
  });
});

describe('the changes between two states of a draft', () => {
  const item = (key: string, status: 'uploading' | 'ready' | 'error', generation = 1) => ({
    key,
    name: key,
    status,
    generation,
  });
  type Shown = ReturnType<typeof item> & { error?: { code: string } };
  const draft = (items: Shown[], generation = 1) => ({ generation, items });

  it.each([
    ['a new file', draft([]), draft([item('a', 'uploading')]), ['added a']],
    ['a file that is ready', draft([item('a', 'uploading')]), draft([item('a', 'ready')]), ['ready a']],
    ['a restored file', draft([]), draft([item('a', 'ready')]), ['added a']],
    ['a failure', draft([item('a', 'uploading')]), draft([item('a', 'error')]), ['failed a']],
    [
      'an upload that was stopped',
      draft([item('a', 'uploading')]),
      draft([{ ...item('a', 'error'), error: { code: 'REQUEST_ABORTED' } }]),
      ['stopped a'],
    ],
    ['a file that was removed', draft([item('a', 'ready')]), draft([]), ['removed a']],
    ['a file that left with its message', draft([item('a', 'ready')], 2), draft([], 2), []],
    ['a file that stayed', draft([item('a', 'ready')]), draft([item('a', 'ready')]), []],
  ])('%s [DL-88]', (_, before, after, changes) => {
    expect(listChanges(before, after).map(({ kind, name }) => `${kind} ${name}`)).toEqual(changes);
  });
});
