import { describe, expect, it } from 'vitest';
import type { ModelApi, RelayAccess } from '../relay-types.ts';
import { judgeBody } from './judge-body.ts';

function judgeCut(json: string | Buffer, cuts: readonly number[], { api = 'anthropic' as ModelApi } = {}) {
  const access = {
    ...{ model: 'm', errands: [], maxRequestBytes: undefined },
    endpoint: { api, models: ['small'], baseUrl: '', readKey: async () => undefined },
  } as unknown as RelayAccess;
  const models: string[] = [];
  const judge = judgeBody(access, { kind: 'generate', isInTurn: true }, (model) => void models.push(model));
  const body = Buffer.from(json);
  const ends = [...cuts, body.length];
  for (const [index, end] of ends.entries()) {
    const refused = judge.write(body.subarray(ends[index - 1] ?? 0, end));
    if (refused !== undefined) return { refused, models };
  }
  return { refused: judge.end(), models };
}

const judge = (json: string | Buffer, options?: Parameters<typeof judgeCut>[2]) => judgeCut(json, [], options).refused;

describe('the model of a body', () => {
  const escaped = String.raw`{"a":"\\","b":["}\"{",{"model":"x","c\\\"":[1,-2.5e3,true,null]}],"mod\u0065l":"\u006d" , "z":{}}`;
  const bodies: [string, string | undefined][] = [
    [escaped, undefined],
    [` {"messages":[{"content":"${'long \\" text é€😀 '.repeat(20)}"}],"stream":true,"model":"small"}\n`, undefined],
    ['{"tools":[{"name":"a","input_schema":{}},{"type":"web_search_20250305"}],"model":"m"}', undefined],
    ['{"a":"\\\\\\\\","model":"other"}', 'relay_model_refused'],
    ['{"model":"m","x":{"y":[1,2}]}', 'relay_body_malformed'],
    ['{"model":"m","\\u006dodel":"m"}', 'relay_body_malformed'],
  ];

  it.each(bodies)('is found wherever the body is cut in two, and at every byte: %#', (json, refused) => {
    const length = Buffer.byteLength(json);
    const bytes = Array.from({ length: length - 1 }, (_, index) => index + 1);
    expect(judgeCut(json, bytes).refused).toBe(refused);
    for (const cut of bytes) expect(judgeCut(json, [cut]).refused).toBe(refused);
    if (refused === undefined) expect(judgeCut(json, []).models).toEqual([json.includes('small') ? 'small' : 'm']);
  });

  it.each([
    ['twice', '{"model":"m","a":1,"model":"m"}'],
    ['another key twice', '{"a":1,"a":2,"model":"m"}'],
    ['in other letters', '{"model":"m","Model":"x"}'],
    ['missing', '{"messages":[]}'],
    ['missing in an empty object', '{}'],
    ['a number', '{"model":1}'],
    ['an object', '{"model":{"model":"m"}}'],
    ['empty', '{"model":,"a":1}'],
    ['without a colon', '{"model" "m"}'],
    ['two values', '{"model":"m" "m"}'],
    ['after another value', '1{"model":"m"}'],
    ['in a list', '[{"model":"m"}]'],
    ['behind a comment', '{/*"*/"model":"m"}'],
    ['in single quotes', "{'model':'m'}"],
    ['with a comma at the end', '{"model":"m",}'],
    ['in the first of two objects', '{"model":"m"}{"model":"x"}'],
    ['in an object without an end', '{"model":"m"'],
    ['under a key of 300 bytes', `{"model":"m","${'k'.repeat(300)}":1}`],
    ['beside a broken escape in a key', '{"model":"m","\\x":1}'],
    ['beside 300 keys', `{"model":"m",${Array.from({ length: 300 }, (_, index) => `"k${index}":1`).join()}}`],
    ['in JSON that is 10,000 deep', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)},"model":"m"}`],
    ['in UTF-16', Buffer.from('{"model":"m"}', 'utf16le')],
    ['nowhere: the body is empty', ''],
  ])('%s: the body is refused', (_, json) => {
    expect(judge(json)).toBe('relay_body_malformed');
  });

  it('is refused where it is longer than any model', () => {
    expect(judge(`{"model":"${'m'.repeat(2_000)}"}`)).toBe('relay_body_too_large');
  });

  it('is taken from a body that is 900 deep', () => {
    expect(judge(`{"a":${'['.repeat(900)}${']'.repeat(900)},"model":"m"}`)).toBeUndefined();
  });

  it('is not looked for in a body whose path names it', () => {
    expect(judge('{"contents":[],"model":"x"}', { api: 'google' })).toBeUndefined();
  });
});

describe('tools of a body', () => {
  const tooLarge = `{"model":"m","tools":[{"description":"${'x'.repeat(1_100_000)}"}]}`;
  it('are refused where they are larger than what is read of them', () => {
    expect(judge(tooLarge)).toBe('relay_body_too_large');
    const bytes = Array.from({ length: 20 }, (_, index) => (index + 1) * 60_000);
    expect(judgeCut(tooLarge, bytes).refused).toBe('relay_body_too_large');
  });

  it('are refused where they are no JSON', () => {
    expect(judge('{"model":"m","tools":[01]}')).toBe('relay_body_malformed');
  });
});
