import { describe, expect, it } from 'vitest';
import { paths, post, readAnswer, startStubForTest } from './ask-stub.ts';

const tools = [{ name: 'Bash' }];
const messages = [{ role: 'user', content: 'hello' }];
const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const CLAUDE = 'claude-cli/2.1.329 (external, sdk-cli)';
const GEMINI = 'GeminiCLI-tui/0.61.0/gemini-3-pro (linux; x64; terminal)';

async function ask(path: string, body: unknown, userAgent?: string) {
  const stub = await startStubForTest();
  stub.script(() => ({ text: 'from the script' }));
  const response = await post(stub, path, body, userAgent);
  return { isSide: stub.requests[0]?.isSide, answer: await readAnswer(response) };
}

describe("a CLI's own errand", () => {
  it('is a request without tools', async () => {
    const { isSide, answer } = await ask(paths.anthropic, { model: 'm', messages }, CLAUDE);
    expect(isSide).toBe(true);
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'ok' }] });
  });

  it('is a request for JSON, and gets what fits the schema', async () => {
    const input = [{ role: 'user', content: 'a title, please' }];
    const body = {
      model: 'm',
      input,
      tools: [{ type: 'function', name: 'exec' }],
      text: { format: { schema: title } },
    };
    const { isSide, answer } = await ask(paths['openai-responses'], body, 'codex_exec/0.169.0');
    expect(isSide).toBe(true);
    expect(JSON.parse(answer.output[0]?.content[0]?.text ?? '')).toEqual({ title: 'ok' });
  });

  it("is Gemini's question for the complexity of a request", async () => {
    const properties = {
      reason: { type: 'STRING' },
      score: { type: 'INTEGER' },
      share: { type: 'NUMBER' },
      level: { enum: ['low'] },
    };
    const generationConfig = { responseSchema: { type: 'OBJECT', properties } };
    const { isSide, answer } = await ask(paths.google, { contents: [], generationConfig }, GEMINI);
    expect(isSide).toBe(true);
    expect(JSON.parse(answer.candidates[0]?.content.parts[0]?.text ?? '')).toEqual({
      reason: 'ok',
      score: 1,
      share: 0,
      level: 'low',
    });
  });

  it.each(['[SUGGESTION MODE: Suggest …]', 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.'])(
    'is a request that says %j, although it offers tools',
    async (text) => {
      const content = [{ type: 'text', text }];
      const { isSide } = await ask(
        paths.anthropic,
        { model: 'm', tools, messages: [{ role: 'user', content }] },
        CLAUDE,
      );
      expect(isSide).toBe(true);
    },
  );

  it.each([
    ['/v1/messages/count_tokens', { input_tokens: 100 }],
    ['/v1beta/models/m:countTokens', { totalTokens: 100 }],
  ])('is a count of tokens, by whomever: %s', async (path, expected) => {
    expect(await ask(path, { model: 'm', messages, contents: [] })).toEqual({ isSide: true, answer: expected });
  });

  it('does not count for the script', async () => {
    const stub = await startStubForTest();
    stub.script((_request, index) => ({ text: `answer ${index}` }));
    await post(stub, paths.anthropic, { model: 'm', messages }, CLAUDE);
    const response = await post(stub, paths.anthropic, { model: 'm', tools, messages }, CLAUDE);
    expect(await response.json()).toMatchObject({ content: [{ text: 'answer 0' }] });
    expect(stub.requests.map(({ isSide }) => isSide)).toEqual([true, false]);
  });
});

describe('a turn of a conversation', () => {
  it.each([
    ['of a CLI that offers tools', { model: 'm', tools, messages }, CLAUDE],
    ['of another program, without tools', { model: 'm', messages }, 'a-program'],
  ])('is one %s', async (_case, body, userAgent) => {
    const { isSide, answer } = await ask(paths.anthropic, body, userAgent);
    expect(isSide).toBe(false);
    expect(answer).toMatchObject({ content: [{ text: 'from the script' }] });
  });
});
