import { expect, it, onTestFinished } from 'vitest';
import { showLogOfFailures, tailLogs } from './stack-logs.ts';

it('shows the last lines of every stack that runs, each in few words', () => {
  const line = { level: 30, time: 1, service: 'attache', traceId: 'a', msg: 'attachment.added', status: 'ready' };
  const ends = [
    showLogOfFailures('one', () => `a\nb\n${JSON.stringify(line)}\n`),
    showLogOfFailures('two', () => '{no JSON\n'),
  ];
  onTestFinished(() => {
    for (const end of ends) end();
  });
  expect(tailLogs(3)).toEqual(['one: b', 'one: attachment.added status="ready"', 'two: {no JSON']);
  ends[1]?.();
  expect(tailLogs(1)).toEqual(['one: attachment.added status="ready"']);
});
