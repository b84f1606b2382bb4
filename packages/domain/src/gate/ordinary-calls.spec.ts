import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import { createDraw } from './__fixtures__/draw-escaped-text.ts';
import { drawOrdinaryCall } from './__fixtures__/draw-ordinary-call.ts';
import { scanAtOnce } from './__fixtures__/scan-at-once.ts';

const CALLS = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 2_000 : 20_000;
const WRONG_SHARE = 0.001;

const calls = () => {
  const draw = createDraw(20_261_130);
  return Array.from({ length: CALLS }, () => drawOrdinaryCall(draw));
};

it('names nothing in an ordinary call, whatever its words look like: at most one in a thousand is denied wrongly [AT-30]', () => {
  const wrong = calls().filter((call) => {
    const outcome = scanAtOnce(call);
    return outcome.status !== 'scanned' || outcome.candidates.length > 0;
  });
  process.stdout.write(`Of ${CALLS} ordinary calls ${wrong.length} would be denied.\n`);
  expect(wrong.length).toBeLessThanOrEqual(CALLS * WRONG_SHARE);
});

const percent = (text: string) => Array.from(text, (each) => `%${each.charCodeAt(0).toString(16)}`).join('');
const unicode = (text: string) => Array.from(text, (each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('');
const ways: ((call: unknown, id: string) => unknown)[] = [
  (call, id) => [call, id],
  (call, id) => ({ call, [id]: null }),
  (call, id) => ({ call, list: [{ deep: [[{ id }]] }] }),
  (call, id) => `${JSON.stringify(call)} data_${id}_more`,
  (call, id) => JSON.stringify(JSON.stringify({ call, id })),
  (call, id) => ({ call, url: `https://example.org/a?file=${encodeURIComponent(`x ${id}`)}` }),
  (call, id) => ({ call, url: percent(id) }),
  (call, id) => ({ call, url: percent(percent(id)) }),
  (call, id) => ({ call, text: unicode(id) }),
  (call, id) => ({ call, text: `[attachment id=${id} type=image/png name="a"]` }),
];

it('names each attachment that there may be, planted in any of these calls in any spelling [AT-30 S2]', () => {
  const missed = calls().filter((call, index) => {
    const id = idFromUuid('attachment', randomUUID());
    const outcome = scanAtOnce((ways[index % ways.length] as (typeof ways)[0])(call, id));
    return outcome.status === 'scanned' && !outcome.candidates.includes(id);
  });
  expect(missed).toEqual([]);
});

it('names a granted attachment alone, however deep JSON lies in JSON [AT-30]', () => {
  const id = idFromUuid('attachment', randomUUID());
  let text = `C:\\users\\att_\u001b[1m\n[attachment id=${id} name="ä"]\\u0041%20`;
  for (let depth = 0; depth <= 13; depth += 1) {
    expect(scanAtOnce({ text }), `${depth}`).toEqual({ status: 'scanned', candidates: [id] });
    text = JSON.stringify({ text });
  }
});
