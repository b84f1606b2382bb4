import { expect, it } from 'vitest';
import { watchAnswer } from './watch-answer.ts';

const headers = { 'content-type': 'text/event-stream' };
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
const failed = 'event: error\ndata: {"type":"error"}\n\n';
const begun = 'event: message_start\ndata: {"type":"message_start"}\n\n';
const long = `data: {"type":"response.created","text":"${'x'.repeat(100_000)}"}\n\n`;

/** Watches a stream that comes in chunks of this size. */
function watch(text: string, chunkBytes: number) {
  const bytes = Buffer.from(text);
  const answer = watchAnswer({ statusCode: 200, headers });
  for (let from = 0; from < bytes.length; from += chunkBytes) answer.take(bytes.subarray(from, from + chunkBytes));
  return answer.end();
}

it.each([
  ['a model that begins', begun, true],
  ['one that begins late', ping + ping + begun + failed, true],
  ['one that has not begun', ping + ping, false],
  ['one that fails first', ping + failed + begun, false],
  ['one that begins behind a long event', long + begun, true],
  ['one that fails behind a long event', long + ping + failed, false],
])('says the same of %s wherever its stream is cut', (_, text, hasBegun) => {
  for (const lines of [text, text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r')])
    for (const chunkBytes of [text.length < 10_000 ? 7 : 77, 1_000, 1_000_000]) {
      const { refusal, ...answer } = watch(lines, chunkBytes);
      expect(answer).toEqual({ status: 200, hasBegun });
      expect(refusal?.text).toBe(text.includes(failed) && !hasBegun ? '{"type":"error"}' : undefined);
    }
});

it('reads many early events of one chunk once each', () => {
  expect(watch(ping.repeat(50_000) + begun, 10_000_000)).toMatchObject({ hasBegun: true });
});
