import { randomInt } from 'node:crypto';
import type { Attachment } from '@attache/contracts';
import { buildCostlyPdf } from '@attache/media/fixtures/pdfs';
import { createHttpClient } from '../../product/http-client.ts';
import { createSession, parseAnswer, putFile, readUpload } from '../../product/product-calls.ts';
import { createCounts, type StartLoad } from './load.ts';

const FILES = 20;

/** Twenty PDFs below 4 KiB of which each takes a worker all the processor time that an inspection has. */
export const startCostlyFiles: StartLoad = async ({ url, apiKey }) => {
  const client = createHttpClient(url, { authorization: `Bearer ${apiKey}` });
  const { session } = await createSession(client);
  const firstMark = randomInt(1_000_000_000);
  const ids: string[] = [];
  for (let index = 0; index < FILES; index += 1) {
    const bytes = buildCostlyPdf(firstMark + index);
    const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'application/pdf', name: 'costly.pdf' };
    ids.push(readUpload(await putFile(client, session.id, file)).attachment.id);
  }
  return {
    async end() {
      const { counts, add } = createCounts();
      for (const id of ids) {
        const answer = await client.send({ method: 'GET', path: `/attachments/${id}` });
        const { attachment } = parseAnswer<{ attachment: Attachment }>(answer, 200);
        add(attachment.failure?.code ?? attachment.status);
        await client.send({ method: 'DELETE', path: `/attachments/${id}` });
      }
      client.close();
      if (!counts.pending) throw new Error('No costly file was left at the end.');
      return counts;
    },
  };
};
