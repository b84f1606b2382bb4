import { idFromUuid } from '@attache/contracts';
import type { Database } from '@attache/database';
import { connectPostgres } from '@attache/database/postgres';
import { scanLimits, TOOL_CALL_DENIED } from '@attache/domain';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkToolCall } from './check-tool-call.ts';

const uuid = '01999999-0000-4000-8000-000000000000';
const session = { tenantId: uuid, sessionId: uuid };
const id = idFromUuid('attachment', uuid);
const log = createLogger({ service: 'test', level: 'silent', redact: (text) => text });
const denial = { decision: 'deny', reason: TOOL_CALL_DENIED };

/** A store that does not answer: nothing listens there. */
let db: Database;
beforeAll(async () => {
  db = await connectPostgres({ url: 'postgres://nobody:nothing@127.0.0.1:1/nowhere' });
});
afterAll(() => db.close());

const check = (input: unknown) => checkToolCall({ db, log }, session, uuid, input);

const nest = (depth: number): unknown => (depth === 0 ? 'nothing' : [nest(depth - 1)]);

describe('a tool call that cannot be checked', () => {
  it('is denied where the store does not answer, and runs where nothing has to be looked up [AT-31]', async () => {
    expect(await check({ file: id })).toEqual(denial);
    expect(await check({ file: 'picture.png' })).toEqual({ decision: 'allow' });
  });

  it('is denied where it names a misspelt id beside a foreign one: what cannot be an id is not looked up [AT-31]', async () => {
    const foreign = idFromUuid('attachment', '01999999-0000-4000-8000-000000000001');
    for (const misspelt of [id.toUpperCase(), id.slice(0, -1), `${id}x`])
      expect(await check({ files: [misspelt, foreign] })).toEqual(denial);
  });

  it.each([
    ['maxDepth', nest(scanLimits.maxDepth + 1)],
    ['maxValues', Array.from({ length: scanLimits.maxValues }, () => 1)],
    [
      'maxCandidates',
      Array.from({ length: scanLimits.maxCandidates + 1 }, (_, n) => `att_xxxxxxxxQxC${`${n}A`.padStart(11, 'x')}`),
    ],
    ['maxTextLength', 'a'.repeat(scanLimits.maxTextLength + 1)],
    ['maxOpenEscapes', `%41${'%'.repeat(scanLimits.maxOpenEscapes + 1)}`],
    ['maxLayeredLength', `att_\\\\u00750061${'x'.repeat(scanLimits.maxLayeredLength)}`],
  ] satisfies [keyof typeof scanLimits, unknown][])('is denied above the limit %s [AT-31]', async (_, input) => {
    expect(await check(input)).toEqual(denial);
  });
});

describe('a large tool call', () => {
  it('lets other work have its turn while it is scanned', async () => {
    let turns = 0;
    let isDecided = false;
    const count = (): void => {
      turns += 1;
      if (!isDecided) setImmediate(count);
    };
    setImmediate(count);
    expect(await check({ text: 'a'.repeat(8_000_000) })).toEqual({ decision: 'allow' });
    isDecided = true;
    expect(turns).toBeGreaterThan(10);
  });
});
