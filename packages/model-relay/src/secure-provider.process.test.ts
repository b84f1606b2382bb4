import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { ask, startRelayed } from './__fixtures__/relayed.ts';

const usual = getCACertificates('default');
afterEach(() => setDefaultCACertificates(usual));

/** A model API behind TLS whose certificate is for this address. */
async function startSecureProvider(ip: string) {
  const made = await generate([{ name: 'commonName', value: 'model-api' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  });
  const keys: (string | undefined)[] = [];
  const server = createServer({ key: made.private, cert: made.cert }, (request, response) => {
    keys.push(request.headers['x-api-key'] as string | undefined);
    request.resume().on('end', () => response.end('{"answered":true}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { cert: made.cert, keys, endpoint: { baseUrl: `https://127.0.0.1:${port}` } };
}

describe('a provider behind TLS', () => {
  it('is asked with the key where its certificate is trusted', async () => {
    const { cert, keys, endpoint } = await startSecureProvider('127.0.0.1');
    setDefaultCACertificates([cert]);
    await using relayed = await startRelayed();
    expect(await ask(relayed.open({ endpoint }))).toMatchObject({ status: 200, text: '{"answered":true}' });
    expect(keys).toEqual(['the-real-key']);
  });

  it('never sees the key where its certificate is not trusted, or is for another address', async () => {
    const stranger = await startSecureProvider('127.0.0.1');
    const other = await startSecureProvider('127.0.0.2');
    setDefaultCACertificates([other.cert]);
    await using relayed = await startRelayed();
    for (const { endpoint } of [stranger, other]) expect((await ask(relayed.open({ endpoint }))).status).toBe(502);
    expect([stranger.keys, other.keys]).toEqual([[], []]);
    expect(relayed.records.map(({ refused }) => refused)).toEqual(['relay_provider_failed', 'relay_provider_failed']);
  });
});
