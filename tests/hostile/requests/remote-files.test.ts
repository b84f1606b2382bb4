import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatPart, makeForm } from '../fixtures/form.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';

let stack: HostileStack;
let asked = 0;
const server = createServer((_, response) => {
  asked += 1;
  response.end('x');
});

beforeAll(async () => {
  stack = await startHostile();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  await stack.stop();
});

describe('the address of a remote file', () => {
  it('is fetched by nobody, wherever a client names it [A7]', async () => {
    const { api, session, agent } = stack;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
    const { type, body } = makeForm(formatPart('; name="url"', url));
    const path = `/sessions/${session.id}/attachments`;
    const form = await api.call('POST', path, { raw: body, headers: { 'content-type': type } });
    expect(form).toMatchObject({ status: 400, body: { code: 'MALFORMED_BODY' } });

    const files: [name: string, text: string][] = [
      ['a.json', JSON.stringify({ url, source: { type: 'url', url } })],
      ['a.svg', `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="${url}"/></svg>`],
      ['a.html', `<img src="${url}"><link rel="stylesheet" href="${url}">`],
      ['a.md', `![](${url})`],
    ];
    for (const [name, text] of files) {
      const { attachment } = await api.upload(session.id, Buffer.from(text), { name });
      await api.inspected(attachment.id);
    }
    const { deliveries } = await api.send(session.id, { to: [agent.id], text: `Look at ![](${url})` });
    await api.settled(deliveries[0].id);
    expect(asked).toBe(0);
  });
});
