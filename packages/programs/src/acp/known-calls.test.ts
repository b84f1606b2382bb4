import { describe, expect, it } from 'vitest';
import { type CallForm, createKnownCalls, tellsArguments } from './known-calls.ts';

const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }];

describe('the words of a program about a call', () => {
  it('are remembered in all forms, also those that a later update shortens [AT-30]', () => {
    const calls = createKnownCalls();
    calls.note({ toolCallId: 'a', title: 'cat /a/long/path', content: text('cat /a/long/path'), status: 'pending' });
    calls.note({ toolCallId: 'a', title: 'cat…', rawInput: { command: 'cat' } });
    calls.note({ toolCallId: 'a', title: 'cat…', content: [], locations: null });
    calls.note({ toolCallId: 'b', status: 'pending' });
    calls.note({ title: 'of no call' });
    expect(calls.find('a')).toEqual({
      forms: [
        { title: 'cat /a/long/path', content: text('cat /a/long/path') },
        { title: 'cat…', rawInput: { command: 'cat' } },
        { title: 'cat…', content: [] },
      ],
      ...{ rawInput: { command: 'cat' }, isIncomplete: false },
    });
    expect(calls.find('b')).toEqual({ forms: [], rawInput: undefined, isIncomplete: false });
  });

  it('are forgotten when the call has ended', () => {
    const calls = createKnownCalls();
    calls.note({ toolCallId: 'a', title: 'cat' });
    calls.note({ toolCallId: 'a', status: 'completed' });
    expect(calls.find('a').forms).toEqual([]);
  });

  it('say that they are not all, where there are more than are remembered [AT-30 AT-31]', () => {
    const calls = createKnownCalls();
    for (let count = 0; count < 65; count += 1) calls.note({ toolCallId: 'many', title: `part ${count}` });
    expect(calls.find('many')).toMatchObject({ isIncomplete: true });
    for (let count = 0; count < 4; count += 1)
      calls.note({ toolCallId: `large ${count}`, rawInput: { text: 'x'.repeat(10_000_000) } });
    expect(calls.find('many')).toMatchObject({ forms: [], isIncomplete: true });
    expect(calls.find('large 3')).toMatchObject({ isIncomplete: false });
    for (let count = 0; count < 300; count += 1) calls.note({ toolCallId: `call ${count}`, title: 'a' });
    expect(calls.find('call 0')).toMatchObject({ forms: [], isIncomplete: true });
    expect(calls.find('call 299')).toMatchObject({ isIncomplete: false });
  });
});

const LONG = 'cat /work/a-folder/another-folder/a-file-with-a-lo';

it.each<[string, boolean, CallForm[]]>([
  ['arguments', true, [{ title: 'cat…', rawInput: { path: '/a' } }]],
  ['arguments as a text', true, [{ title: 'cat…', rawInput: 'cat /a' }]],
  ['earlier content', true, [{ title: 'cat…' }, { title: 'cat…', content: text('cat /a') }]],
  ['places', true, [{ title: '/a/.../b…', locations: [{ path: '/a/b/b' }] }]],
  ['a title that is whole', true, [{ title: 'git log main...next' }]],
  ['a tool without arguments', true, [{ rawInput: {} }]],
  ['a tool without arguments that has a label', true, [{ title: 'List sessions…', rawInput: {} }]],
  ['all packages of a folder', true, [{ title: 'go test ./...' }]],
  [
    'all packages of a folder, and notes',
    true,
    [{ title: 'go test ./... [current working directory /w] (Run all tests)' }],
  ],
  ['all packages of a far folder', true, [{ title: 'go test ./services/gateway/internal/transport/http/...' }]],
  ['dots that belong to a short text', true, [{ title: 'echo "wait..."' }]],
  ['dots in the middle', true, [{ title: 'git log --oneline --no-decorate origin/main... --stat' }]],
  ['a command of plain words, and notes', true, [{ title: 'npm test [current working directory /w]' }]],
  ['a title that is shortened', false, [{ title: 'cat /a/long/pa…' }]],
  ['a title that is shortened by dots, and arguments that are empty', false, [{ title: `${LONG}...`, rawInput: {} }]],
  [
    'a shortened title behind a whole one of another form',
    false,
    [{ title: 'ls -la' }, { title: `${LONG}... (in /b)` }],
  ],
  ['a quoted title that is shortened by dots', false, [{ title: `Processing: "${LONG}..."` }]],
  ['a label', false, [{ title: 'Read file' }]],
  ['a label of one word', false, [{ title: 'fetch', content: [], locations: [] }]],
  ['a label with dots', false, [{ title: 'Reading…' }, { title: 'Reading...' }]],
  ['a label and a shortened title', false, [{ title: 'Shell' }, { title: `${LONG}...` }]],
  ['nothing', false, [{}]],
])('arguments are seen in %s: %s [AT-31]', (_, isSeen, forms) => {
  expect(tellsArguments(forms)).toBe(isSeen);
});
