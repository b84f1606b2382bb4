// hosted: long – each process redacts by the same code; spans cross in span-graph.test.ts
import { randomBytes, randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { type Canary, canaryOf, findCanaries, makeCanary, makePng, makeTextCanary } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';
import { openMcpAgent } from '../steps/mcp-client.ts';
import { type Place, takeTurn } from '../steps/turns.ts';

describe('the finder of canaries', () => {
  const binary = makeCanary('bytes');
  const text = makeTextCanary('text');
  const around = (inside: Uint8Array, before: number) => Buffer.concat([randomBytes(before), inside, randomBytes(5)]);
  const plants: [form: string, plant: (bytes: Buffer, before: number) => string][] = [
    ['base64', (bytes, before) => around(bytes, before).toString('base64')],
    ['url-safe base64', (bytes, before) => around(bytes, before).toString('base64url')],
    ['wrapped base64', (bytes, before) => around(bytes, before).toString('base64').replaceAll(/.{20}/g, '$&\r\n')],
    [
      'base64 in JSON',
      (bytes, before) => JSON.stringify(around(bytes, before).toString('base64').replaceAll(/.{20}/g, '$&\n')),
    ],
    ['hex', (bytes) => bytes.toString('hex')],
    ['capital hex', (bytes) => bytes.toString('hex').toUpperCase()],
    ['percent encoding', (bytes) => bytes.toString('hex').replaceAll(/../g, '%$&')],
    ['a list of bytes', (bytes) => JSON.stringify(bytes)],
    ['a cut', (bytes, before) => around(bytes.subarray(0, 30), before).toString('base64')],
  ];
  for (const [form, plant] of plants)
    it(`finds one in ${form}, at every alignment [S27]`, () => {
      for (const { name, bytes } of [binary, text])
        for (const before of [0, 1, 2]) {
          const planted = `{"note":"${plant(Buffer.from(bytes), before)}"}`;
          expect(findCanaries(planted, [binary, text]).map(({ canary }) => canary)).toContain(name);
        }
    });

  it('finds a text as it is, in JSON, in JSON in JSON, in a URL and in a form [S27]', () => {
    const forms = [
      text.text,
      JSON.stringify(text.text),
      JSON.stringify(JSON.stringify(text.text)),
      encodeURIComponent(text.text),
      new URLSearchParams({ name: text.text }).toString(),
    ];
    for (const form of forms) expect(findCanaries(`x${form}y`, [text])).not.toEqual([]);
    expect(findCanaries(forms.join(), [makeTextCanary('other'), binary])).toEqual([]);
  });
});

describe('what a stack tells of itself', () => {
  let stack: OwnStack;
  const canaries: Canary[] = [];
  const problems: string[] = [];
  const plant = <C extends Canary>(canary: C): C => {
    canaries.push(canary);
    return canary;
  };
  const message = plant(makeTextCanary('message text'));
  const fileName = plant(makeTextCanary('file name'));
  const fileBytes = plant(makeCanary('file bytes'));
  const secret = plant(canaryOf('a secret in a file', `sk-proj-${randomBytes(18).toString('hex')}`));
  const blockedId = plant(canaryOf('a blocked id', idFromUuid('attachment', randomUUID())));
  const toolArgument = plant(makeTextCanary('an argument of a tool'));
  const wrongKey = plant(canaryOf('a wrong key', `atk_${randomBytes(30).toString('base64url')}`));

  beforeAll(async () => {
    stack = await openOwnStack({ logLevel: 'trace' });
    // The first half of a key is its public id.
    plant(canaryOf('the API key', stack.api.apiKey.slice(-30)));
  });
  // Stopped where the database is dumped; this is for a test that broke off before.
  afterAll(() => stack.stop().catch(() => undefined));

  /** Calls and keeps what a refusal says. */
  async function call(...request: Parameters<OwnStack['api']['call']>) {
    const answer = await stack.api.call(...request);
    if (answer.status >= 400) problems.push(JSON.stringify([...answer.headers]), JSON.stringify(answer.body));
    return answer;
  }

  const put = (sessionId: string, raw: Uint8Array<ArrayBuffer>, name: string, headers: Record<string, string> = {}) =>
    call('PUT', `/sessions/${sessionId}/attachments?name=${encodeURIComponent(name)}`, {
      raw,
      headers: { 'content-type': 'image/png', ...headers },
    });

  const bytesOf = (...parts: (string | Uint8Array)[]) =>
    new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

  async function uploadAll({ session }: Place): Promise<string> {
    const good = await put(session.id, bytesOf(makePng(24, 24), fileBytes.bytes), `${fileName.text}.png`);
    const { id } = good.body.attachment as { id: string };
    await stack.api.inspected(id);
    const corrupt = await put(session.id, bytesOf(makePng(24, 24).subarray(0, 60), fileBytes.bytes), fileName.text);
    await stack.api.inspected((corrupt.body.attachment as { id: string }).id);
    const text = bytesOf(`key = ${Buffer.from(secret.bytes)}\n`, message.text);
    const note = await put(session.id, text, `${Buffer.from(secret.bytes)}.txt`, { 'content-type': 'text/plain' });
    await stack.api.inspected((note.body.attachment as { id: string }).id);
    const digest = { 'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` };
    await put(session.id, bytesOf(fileBytes.bytes), fileName.text, digest);
    await refuseTooLarge(session.id);
    await call('POST', `/sessions/${session.id}/attachments`, {
      raw: bytesOf('--b\r\nbroken ', fileBytes.bytes),
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    return id;
  }

  // Small enough to be sent whole before the refusal ends the connection.
  async function refuseTooLarge(sessionId: string): Promise<void> {
    const name = stack.nameOf('first');
    await stack.operate('tenant.set', { name, maxUploadBytes: 10_000 });
    const refused = await put(sessionId, bytesOf(Buffer.alloc(12_000), fileBytes.bytes), fileName.text);
    expect(refused).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    await stack.operate('tenant.set', { name, maxUploadBytes: null });
  }

  async function readUrls(attachmentId: string): Promise<void> {
    const { body } = await call('POST', `/attachments/${attachmentId}/urls`, { body: {} });
    const url = String(body.url);
    const signature = new URL(url).searchParams.get('sig') ?? '';
    plant(canaryOf('a signature', signature));
    expect((await fetch(url)).status).toBe(200);
    const forged = plant(canaryOf('a forged signature', randomBytes(40).toString('base64url')));
    for (const other of [
      url.replace(signature, Buffer.from(forged.bytes).toString()),
      `${url}&x=${encodeURIComponent(message.text)}`,
    ]) {
      const refused = await fetch(other);
      expect(refused.status).toBe(401);
      problems.push(await refused.text());
    }
  }

  /** A ticket is in the address: used, used again, and altered. */
  async function useTicket({ session }: Place): Promise<void> {
    const { body } = await call('POST', `/sessions/${session.id}/events/tickets`);
    const ticket = plant(canaryOf('a ticket', String(body.ticket)));
    const open = (query: string) => call('GET', `/sessions/${session.id}/events?${query}`, { credential: null });
    expect((await open(`ticket=${Buffer.from(ticket.bytes)}`)).status).toBe(200);
    for (const query of [`ticket=${Buffer.from(ticket.bytes)}`, `ticket=${Buffer.from(ticket.bytes)}x`])
      expect((await open(query)).status).toBe(401);
    const again = await call('POST', `/sessions/${session.id}/events/tickets`);
    const faulty = plant(canaryOf('the ticket of a faulty request', String(again.body.ticket)));
    expect((await open(`after=x&ticket=${Buffer.from(faulty.bytes)}`)).status).toBe(400);
  }

  async function refuseAll({ session, agent }: Place): Promise<void> {
    const credential = Buffer.from(wrongKey.bytes).toString();
    const path = `/sessions/${session.id}/messages`;
    for (const bad of [credential, `ats_${credential}`, `${stack.api.apiKey}x`])
      await call('GET', path, { credential: bad });
    await call('POST', path, { body: { to: [agent.id], text: 3, [message.text]: message.text } });
    await call('POST', path, { raw: `{"text": "${message.text}`, headers: { 'content-type': 'application/json' } });
    await call('POST', path, { body: { to: ['agt_AAAAAAAAAAAAAAAAAAAAAA'], text: message.text } });
    await call('GET', `/${encodeURIComponent(message.text)}`);
    const headers = {
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      tracestate: `v=${Buffer.from(secret.bytes)}`,
    };
    await call('GET', path, { credential, headers });
  }

  async function talk(place: Place, attachmentId: string): Promise<void> {
    await takeTurn(stack.api, place, `${message.text}\nexample: emit-base64`, [attachmentId]);
    await takeTurn(stack.api, place, `${message.text}\nexample: fail 32603`);
    await takeTurn(stack.api, place, `${message.text}\nexample: crash`, [attachmentId]);
    // A model's name is a word of the caller's that spans hold: only the guard before the exporter takes a key out of it.
    const model = Buffer.from(secret.bytes).toString();
    const scripted = await stack.api.createSession({ profile: 'scripted', model });
    const words = `OPENAI_API_KEY=${Buffer.from(secret.bytes)} ${Buffer.from(fileBytes.bytes).toString('base64')}`;
    await takeTurn(stack.api, scripted, `do: put ${fileName.text}`);
    await callTools(scripted);
    await takeTurn(stack.api, scripted, `do: complain-and-crash ${words}`);
    await takeTurn(stack.api, await stack.api.createSession({ profile: 'dying', model: 'model-1' }), message.text);
  }

  /** Calls that run, that are faulty and that the gate blocks, by a program's own tool and by those of Attaché. */
  async function callTools(scripted: Place): Promise<void> {
    const foreign = Buffer.from(blockedId.bytes).toString();
    const words = [toolArgument.text, `${toolArgument.text} ${foreign}`].map((text) => `do: ask ${text}`);
    await takeTurn(stack.api, scripted, words.join('\n'));
    const mcp = await openMcpAgent(stack, scripted);
    const output = { name: toolArgument.text, mimeType: 'text/plain', text: toolArgument.text };
    expect(await mcp.call('attachment_save_output', output)).not.toHaveProperty('isError');
    const refused: [tool: string, input: Record<string, unknown>][] = [
      ['attachment_save_output', { ...output, text: `${toolArgument.text} of ${foreign}` }],
      ['resource_view', { attachmentId: foreign }],
      ['resource_view', { attachmentId: toolArgument.text }],
      ['attachments_list', { kind: toolArgument.text, [toolArgument.text]: 1 }],
    ];
    for (const [tool, input] of refused) expect(await mcp.call(tool, input)).toMatchObject({ isError: true });
    await mcp.close();
    const events = await stack.api.events(scripted.session.id);
    expect(events.filter(({ kind }) => kind === 'tool.blocked').length).toBeGreaterThanOrEqual(3);
  }

  async function killLetters({ session, agent }: Place): Promise<void> {
    await stack.breakProjector();
    await put(session.id, bytesOf(makePng(25, 25), fileBytes.bytes), fileName.text);
    await call('POST', `/sessions/${session.id}/messages`, { body: { to: [agent.id], text: message.text } });
    await vi.waitFor(() => expect(stack.watch.logs()).toContain('bus.message_dead'), {
      timeout: 60_000,
      interval: 100,
    });
  }

  it('holds no content, name, key or signature, whatever went wrong: spans, logs, metrics, problems, queues [S27 DL-68]', async () => {
    const place = await stack.api.createSession();
    const attachmentId = await uploadAll(place);
    await readUrls(attachmentId);
    await useTicket(place);
    await refuseAll(place);
    await talk(place, attachmentId);
    await killLetters(place);
    const { otlp, logs, metrics } = stack.watch;
    await otlp.waitFor((spans) => spans.some(({ name, isError }) => name === 'process attachment.added' && isError));
    const counted = await metrics();
    expect(counted).toMatch(/^attache_bus_dead_letters_total\{subject="attachment.added"\} [1-9]/m);
    const rows = (await stack.stopAndDump())
      .split('\n')
      .filter((row) => /^"?\w+"?\."?(outbox|inbox|dead_letter)"? /.test(row));
    expect(rows.some((row) => /dead_letter/.test(row))).toBe(true);
    const told = {
      spans: otlp.raw(),
      logs: logs(),
      metrics: counted,
      problems: problems.join('\n'),
      rows: rows.join('\n'),
    };
    for (const [where, text] of Object.entries(told)) {
      expect(text.length, where).toBeGreaterThan(500);
      expect({ [where]: findCanaries(text, canaries) }).toEqual({ [where]: [] });
    }
    expect(problems.length).toBeGreaterThan(20);
  });
});
