import { afterAll, describe, expect, it } from 'vitest';
import {
  buildEncryptedPdf,
  type Encryption,
  type EncryptionOptions,
  listObjects,
} from '../../../__fixtures__/encrypted-pdfs.ts';
import { buildPdfOf } from '../../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../../__fixtures__/temp-folder.ts';
import { inspectFile } from '../../inspect-file.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const mimeType = 'application/pdf';
const refused = { status: 'rejected', mimeType, problem: { code: 'attachment_encrypted' } };

function inspect(content: Uint8Array) {
  const path = folder.write('file', content);
  return inspectFile({ task: 'inspect', path, sizeBytes: content.length, maxPixels: 1_000_000 });
}

describe('a PDF that opens without a password', () => {
  const line = 'Secret plan';
  const facts = { pages: 1, textBytes: Buffer.byteLength(`--- page 1 ---\n${line}\n`) };
  const ready = { status: 'ready', mimeType, facts };
  const encryptions: Encryption[] = [
    ...(['RC4 R2', 'RC4 R3', 'RC4 R4'] as const),
    ...(['AES R4', 'AES R5', 'AES R6', 'none R4', 'none R6'] as const),
  ];

  it.each(encryptions)('is read, however it is encrypted: %s', async (encryption) => {
    for (const options of [{}, { encryptsMetadata: false }, { hasId: false }])
      expect(await inspect(buildEncryptedPdf(encryption, line, options))).toMatchObject(ready);
  });

  it.each([
    ['null', '/Encrypt null', 'null'],
    ['a missing object', '/Encrypt 99 0 R', 'null'],
    ['an object that is null', '/Encrypt 6 0 R', 'null'],
    ['an object that is no dictionary', '/Encrypt 6 0 R', '17'],
  ])('is read where its handler is %s', async (_, trailer, handler) => {
    const content = `BT /F1 12 Tf 36 700 Td (${line}) Tj ET`;
    expect(await inspect(buildPdfOf(listObjects(content, handler), trailer))).toMatchObject(ready);
  });

  const without = (...parts: (string | RegExp)[]): EncryptionOptions => {
    return { rewrite: (dictionary) => parts.reduce<string>((rest, part) => rest.replace(part, ''), dictionary) };
  };
  const withPart = (part: string, other: string): EncryptionOptions => {
    return { rewrite: (dictionary) => dictionary.replace(part, other) };
  };
  const ownFilter = '/CF<</StdCF<</CFM/AESV2/AuthEvent/DocOpen/Length 16>>>>/StmF/Identity/StrF/StdCF';
  const identity = '/CF<<>>/StmF/Identity/StrF/Identity';
  const idleFilter = '/CF<</StdCF<</CFM/None/AuthEvent/DocOpen>>>>/StmF/StdCF/StrF/StdCF';
  const idleStreams = '/CF<</Idle<</CFM/None>>/StdCF<</CFM/AESV2/Length 16>>>>/StmF/Idle/StrF/StdCF';
  const lengths: EncryptionOptions = {
    rewrite: (dictionary) => dictionary.replace('/Length 256', '/Length 128').replace('/Length 32', '/Length 16'),
  };

  it.each<[string, Encryption, EncryptionOptions]>([
    ['names a filter for streams alone', 'AES R4', without('/StrF/StdCF')],
    ['encrypts streams alone', 'AES R6', withPart('/StrF/StdCF', '/StrF/Identity')],
    ['encrypts strings alone', 'none R4', withPart('/CF<<>>/StmF/Identity/StrF/Identity', ownFilter)],
    ['names no filter', 'none R4', without('/CF<<>>/StmF/Identity/StrF/Identity')],
    ['describes no filter', 'none R6', without('/CF<<>>')],
    ['counts its key in bytes', 'RC4 R3', withPart('/Length 128', '/Length 16')],
    ['has no copy of its permissions', 'AES R6', without(/\/Perms<[0-9a-f]+>/)],
    ['has another copy of its permissions', 'AES R5', withPart('/P -1340', '/P -4')],
    ['names another length of its key', 'AES R6', withPart('/Length 256', '/Length 128')],
    ['names other lengths of its key', 'AES R5', lengths],
    ['names a filter that does nothing', 'none R4', withPart(identity, idleFilter)],
    ['names a filter that does nothing, of the last version', 'none R6', withPart(identity, idleFilter)],
    ['names a filter that does nothing for streams', 'none R4', withPart(identity, idleStreams)],
    ['says otherwise what of it is encrypted', 'AES R6', withPart('/Perms', '/EncryptMetadata false/Perms')],
  ])('is read where its handler %s', async (_, encryption, options) => {
    expect(await inspect(buildEncryptedPdf(encryption, line, options))).toMatchObject(ready);
    const [type] = encryption.split(' ');
    const guarded = await inspect(buildEncryptedPdf(encryption, line, { ...options, userPassword: 'secret' }));
    // A password guards nothing where nothing is encrypted.
    const isOpen =
      type === 'none' && !/CFM.AESV2/.test(buildEncryptedPdf(encryption, line, options).toString('latin1'));
    expect(guarded).toMatchObject(isOpen ? ready : refused);
  });

  it.each([
    ['certificates', '<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s5/V 4/CF<<>>/StmF/Identity/StrF/Identity>>'],
    ['a handler of somebody else', '<</Filter/FOPN_foweb/V 1>>'],
    ['nothing that is named', '<<>>'],
  ])('is rejected where %s protects it [DL-37]', async (_, handler) => {
    const pdf = buildPdfOf(listObjects('', handler), '/Encrypt 6 0 R');
    expect(await inspect(pdf)).toMatchObject(refused);
  });

  it.each(encryptions)(
    'always gets an outcome, whichever byte of its handler is wrong: %s [S17]',
    async (encryption) => {
      const pdf = buildEncryptedPdf(encryption, line);
      for (let index = pdf.indexOf('6 0 obj'); index < pdf.indexOf('startxref'); index += 7) {
        const wrong = Buffer.from(pdf);
        wrong[index] = (wrong[index] ?? 0) ^ 0x11;
        expect(['ready', 'rejected']).toContain((await inspect(wrong)).status);
      }
    },
  );
});
