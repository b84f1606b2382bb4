import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTexts } from './cut-texts.ts';

const long = 'A'.repeat(2_000);

/** Parses JSON with the cut-out texts put back in their places. */
async function readBack(text: string): Promise<unknown> {
  const { json, texts } = await cutTexts(Buffer.from(text), 'data');
  return JSON.parse(Buffer.from(json).toString(), (_, value) => {
    const raw = typeof value === 'string' ? texts.get(value) : undefined;
    return raw ? JSON.parse(`"${Buffer.from(raw).toString()}"`) : value;
  });
}

describe('a long text of a field', () => {
  it('is cut out of its body and leaves its digest', async () => {
    const { json, texts } = await cutTexts(Buffer.from(JSON.stringify({ data: long, text: 'look' })), 'data');
    const { data } = JSON.parse(Buffer.from(json).toString());
    expect(data).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.from(texts.get(data) ?? []).toString()).toBe(long);
  });

  it('is not cut where it is short, of another field, a key, or inside another text', async () => {
    const bodies = [
      { data: 'A'.repeat(1_000) },
      { text: `"data": "${long}"`, note: `\\"data":"${long}` },
      { [`data${long}`]: 'data', other: ['data', long] },
    ];
    for (const body of bodies) expect((await cutTexts(Buffer.from(JSON.stringify(body)), 'data')).texts.size).toBe(0);
  });

  it('changes nothing of what any JSON says', async () => {
    const text = fc.oneof(
      fc.constantFrom(long, `${long}"`, `${long}\\`, `\\"${long}\\\\`, 'data', '"data":"', `"data" : "${long}"`),
      fc.string(),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      object: fc.dictionary(fc.constantFrom('data', 'text', 'a"data', 'data"'), tie('any'), { maxKeys: 3 }),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(undefined, 2), async (given, indent) => {
        expect(await readBack(JSON.stringify(given, null, indent))).toEqual(given);
      }),
      { numRuns: 500 },
    );
  });

  it('makes no valid JSON of what is none', async () => {
    const broken = [
      `{"data":"${long}`,
      `{"data":"${long}"`,
      `{"data":"${long}",}`,
      `"x"data":"${long}"}`,
      `{"data""${long}"}`,
    ];
    for (const text of broken) await expect(readBack(text), text.slice(0, 12)).rejects.toThrow(SyntaxError);
  });
});
