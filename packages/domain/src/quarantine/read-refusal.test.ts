import { describe, expect, it } from 'vitest';
import type { WireBlock } from '../receipt/wire-facts.ts';
import { type RecordedRefusal, recordedRefusals } from './__fixtures__/recorded-refusals.ts';
import { readPath } from './read-path.ts';
import { findRow, readRefusal } from './read-refusal.ts';
import type { RefusalApi } from './refusal-meaning.ts';
import { refusalRows } from './refusal-rows.ts';

const heldBy = ({ held }: RecordedRefusal): readonly WireBlock[] =>
  Array.from({ length: held?.pictures ?? 0 }, (_, index) => ({
    ...{ kind: 'media', place: 'user', key: `${index}`, path: [0, index], isReadable: true, mimeType: 'image/png' },
    ...{ sha256: `${index}`, sizeBytes: 10, width: held?.width, height: 10 },
  }));

describe('a refusal that was recorded', () => {
  it.each(recordedRefusals.map((each) => [`${each.api}, ${each.seen}`, each] as const))(
    'is read: %s [BX-02]',
    (_, recorded) => {
      expect(readRefusal(recorded.api, recorded, heldBy(recorded))).toEqual(recorded.means);
      expect(findRow(recorded.api, recorded, heldBy(recorded))?.name).toBe(recorded.row);
    },
  );

  it.each<[RefusalApi, object]>([
    ['openai-responses', { code: 'billing_hard_limit_reached' }],
    ['openai-chat', { code: 'invalid_api_key', type: 'invalid_request_error' }],
    ['openai-responses', { code: 'unsupported_parameter', param: 'max_tokens' }],
    ['google', { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] }],
  ])('of a key, an account or a setting is about no content, whatever its status: %s %j [BX-02]', (api, error) => {
    expect(readRefusal(api, { status: 400, text: JSON.stringify({ error }) })).toEqual({ kind: 'none' });
  });

  it('is there for each row', () => {
    const read = new Set(recordedRefusals.map((each) => findRow(each.api, each, heldBy(each))));
    const all = Object.values(refusalRows).flat();
    expect(all.filter((row) => !read.has(row))).toEqual([]);
  });

  it('of more pictures than a model takes, and of larger ones, is none of these where the request holds less', () => {
    const limits = recordedRefusals.filter(({ means }) => means.kind === 'limit');
    expect(
      limits.map((each) => readRefusal(each.api, each, heldBy({ ...each, held: { pictures: 20, width: 9_000 } })).kind),
    ).toEqual([...['part', 'unknown']]);
    const small = { pictures: 28, width: 2_000 };
    expect(limits.map((each) => readRefusal(each.api, each, heldBy({ ...each, held: small })).kind)).toEqual([
      'part',
      'unknown',
    ]);
  });
});

describe('a refusal', () => {
  const text = JSON.stringify({
    type: 'error',
    error: { type: 'authentication_error', message: 'messages.0.content.0.image: no' },
  });
  it.each([401, 403, 404, 408, 409, 429, 500, 503, 529])(
    'with the status %i says nothing of what a request held',
    (status) => {
      expect(readRefusal('anthropic', { status, text })).toEqual({ kind: 'none' });
    },
  );

  it.each([
    '',
    'Bad Request',
    '{"error":',
    '[]',
    'null',
    '{"error":"no"}',
    '{"error":{"message":7,"code":{},"param":[]}}',
    '<html>',
  ])('of another form is an unknown one: %s', (body) => {
    for (const api of Object.keys(refusalRows) as RefusalApi[])
      expect(readRefusal(api, { status: 400, text: body })).toEqual({ kind: 'unknown' });
  });

  it.each([
    { type: 'error', code: 'server_error', message: 'No.', param: null },
    { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'No.' } } },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  ])('of a stream that no row knows says nothing of what a request held: %o', (event) => {
    for (const api of Object.keys(refusalRows) as RefusalApi[])
      expect(readRefusal(api, { status: 200, text: JSON.stringify(event) })).toEqual({ kind: 'none' });
  });

  it('of a stream may say it at the top', () => {
    const text = JSON.stringify({ type: 'error', code: 'image_parse_error', message: 'No.', param: null });
    expect(readRefusal('openai-responses', { status: 200, text })).toEqual({
      kind: 'media',
      code: 'image_parse_error',
    });
  });

  it('whose API gives a code that is no word gets ours', () => {
    const error = { param: 'input[0].content[1].image_url', code: 'See [this](https://example.org)' };
    expect(readRefusal('openai-responses', { status: 400, text: JSON.stringify({ error }) })).toEqual({
      ...{ kind: 'part', code: 'file_refused', path: [0, 1] },
    });
  });
});

describe('a path', () => {
  it.each<[RefusalApi, string, readonly number[] | undefined, boolean?]>([
    ['anthropic', 'messages.3', [3], false],
    ['anthropic', 'messages.3.content.1.text', [3, 1], false],
    ['anthropic', 'messages.3.content.1.document.source.base64', [3, 1], true],
    ['anthropic', 'messages.3.user.content.1.image', [3, 1], true],
    ['anthropic', 'messages.3.content.0.document.source.content.content.2.image.source', [3, 0, 2], true],
    ['anthropic', 'messages.3.content.1.image.cache_control.ephemeral.scope', [3, 1], false],
    ['anthropic', 'system.0.text', undefined],
    ['anthropic', 'tools.3.custom.input_schema', undefined],
    ['openai-responses', 'input[2]', [2], false],
    ['openai-responses', 'input[2].content[1].file_data', [2, 1], true],
    ['openai-responses', 'tools[2].parameters', undefined],
    ['openai-chat', 'messages.[2].content.[1].image_url', [2, 1], true],
    ['openai-chat', 'messages[2].content[1].file.file_data', [2, 1], true],
    ['openai-chat', 'messages[2].tool_calls[0].function', [2], false],
    ['google', 'contents[1].parts[0].inlineData.mimeType', [1, 0], true],
    ['google', 'contents[1].parts[0].function_response.parts[2].inline_data.data', [1, 0, 2], true],
    ['google', 'contents[1].parts[0].function_call', [1, 0], false],
    ['google', 'generation_config.response_schema', undefined],
  ])('of %s is read: %s', (api, named, path, isFile = false) => {
    expect(readPath(api, named)).toEqual(path && { path, isFile });
  });

  it('that never ends takes no time', () => {
    const long = `messages.1${'.content_a'.repeat(6_000)}.content.1${'.a'.repeat(6_000)}`;
    const message = `${long}: no`;
    const refusal = { status: 400, text: JSON.stringify({ error: { message } }) };
    expect(readPath('anthropic', long)).toEqual({ path: [1, 1], isFile: false });
    for (const api of Object.keys(refusalRows) as RefusalApi[])
      expect(readRefusal(api, refusal)).toEqual({ kind: 'unknown' });
  });
});
