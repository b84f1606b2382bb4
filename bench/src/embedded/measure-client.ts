import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@attache/client';
import { makeRandomBytes } from '../inputs/random-bodies.ts';
import { createSession } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

const SIZE_BYTES = 5_000_000;
const ROUNDS = 40;
const MAX_RATIO = 1.1;

/** An upload by the client of this repository, against a plain `fetch` of the same bytes to the same stack. */
export async function measureClient({ product, counted, say }: EmbeddedBench): Promise<Result[]> {
  say('  uploads of 5 MB by @attache/client');
  const { session } = await createSession(product.client);
  const apiKey = (await readFile(join(product.dataDir, 'api-key'), 'utf8')).trim();
  const client = createClient({ baseUrl: product.url, getToken: () => apiKey }).session(session.id);
  const url = `${product.url}/v1/sessions/${session.id}/attachments?name=random.bin`;
  const makeFile = () => new File([makeRandomBytes(SIZE_BYTES)], 'random.bin', { type: 'application/octet-stream' });
  const samples = await interleave(
    { warm: 3, counted: counted(ROUNDS) },
    {
      async floor() {
        const body = makeFile();
        const headers = { authorization: `Bearer ${apiKey}`, 'content-type': body.type };
        const put = async () => {
          const response = await fetch(url, { method: 'PUT', body, headers });
          return { status: response.status, answer: await response.json() };
        };
        const { result, tookMs } = await time(put);
        if (result.status !== 201) throw new Error(`A plain PUT was answered ${result.status}.`);
        return tookMs;
      },
      async product() {
        const file = makeFile();
        const { result, tookMs } = await time(() => client.upload(file));
        if (result.attachment.sizeBytes !== SIZE_BYTES) throw new Error('The client lost bytes.');
        return tookMs;
      },
    },
  );
  const line = { what: 'upload by @attache/client, 5 MB', floorIs: 'a plain fetch of the same bytes' };
  return [compare({ ...line, unit: 'ms', target: { of: 'ratio', atMost: MAX_RATIO } }, samples)];
}
