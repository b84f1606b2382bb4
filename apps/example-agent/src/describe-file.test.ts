import { expect, it } from 'vitest';
import { describeFile } from './describe-file.ts';

const bytes = Buffer.from('some bytes');

it('a PDF is described by its name, size and digest', async () => {
  const uri = 'attachment:a/a%20plan.pdf';
  expect(await describeFile({ type: 'document', uri, mimeType: 'application/pdf', bytes, sha256: 'x' })).toBe(
    'the document "a plan.pdf" (application/pdf, 10 bytes, sha256 x)',
  );
});

it('a sound is described by its type, size and digest', async () => {
  expect(await describeFile({ type: 'audio', mimeType: 'audio/wav', bytes, sha256: 'x' })).toBe(
    'a sound (audio/wav, 10 bytes, sha256 x)',
  );
});
