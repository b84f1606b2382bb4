import { describe, expect, it } from 'vitest';
import { callerOf, openFixture } from '../../__fixtures__/open-fixture.ts';
import { filesIn, readWords, storeWords } from './take-out-of-words.ts';

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(300, 7)]);
const dataUrl = `data:image/png;base64,${png.toString('base64')}`;
const noise = Buffer.from(Array.from({ length: 13_000 }, (_, index) => ((index * 7919) ^ (index >> 3)) & 0xff));

async function take(text: string, options: { textMedia?: 'keep'; fileCount?: number; rights?: string[] } = {}) {
  const { deps, caller, tenantId, sessionId } = await openFixture();
  const words = await readWords({ text, textMedia: options.textMedia, fileCount: options.fileCount ?? 0 });
  const sender =
    options.rights === undefined ? caller : callerOf(tenantId, { rights: new Set(options.rights) as never });
  const roomy = { ...deps, settings: { ...deps.settings, maxUploadBytes: 10_000_000 } };
  return storeWords(roomy, sender, sessionId, words);
}

describe('media in the words of a message', () => {
  it('become attachments, the same bytes once, with a marker in the place of each [SR-24 DL-98]', async () => {
    const { text, attachments } = await take(`Look: ${dataUrl} and\n![again](${dataUrl})!`);
    const [only] = attachments;
    const marker = `[attachment id=${only?.id} type=image/png name="pasted-1.png"]`;
    expect(attachments).toHaveLength(1);
    expect(only).toMatchObject({ sizeBytes: png.length, origin: 'upload', source: 'inbox' });
    expect(text).toBe(`Look: ${marker} and\n![again](${marker})!`);
  });

  it.each([
    ['bare base64 of a picture', png.toString('base64'), 'image/png'],
    ['base64 in lines', png.toString('base64').replaceAll(/.{76}/g, '$&\n'), 'image/png'],
    [
      'a data URL in percent',
      `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(90)}</svg>`)}`,
      'image/svg+xml',
    ],
    ['long base64 of no known type', noise.toString('base64'), 'application/octet-stream'],
  ])('are taken out as %s', async (_, spelled, declaredMimeType) => {
    const { text, attachments } = await take(`before ${spelled} after`);
    expect(attachments).toMatchObject([{ declaredMimeType }]);
    expect(text.startsWith('before [attachment id=att_')).toBe(true);
    expect(text.endsWith(' after')).toBe(true);
    expect(text).not.toContain(spelled.slice(0, 60));
  });

  it('stay where the caller keeps them, and where they are none', async () => {
    for (const text of [`words, data:image/png;base64, and no more`, 'a'.repeat(900_000), `data: image/png`]) {
      expect(await take(text)).toMatchObject({ text, attachments: [] });
    }
    expect(await take(dataUrl, { textMedia: 'keep' })).toMatchObject({ text: dataUrl, attachments: [] });
  });

  it('do not count as words, and what is left has its limit', async () => {
    const large = `data:image/png;base64,${Buffer.concat([png, Buffer.alloc(3_000_000, 9)]).toString('base64')}`;
    expect((await take(`see ${large}`)).attachments).toMatchObject([{ sizeBytes: png.length + 3_000_000 }]);
    await expect(take('a'.repeat(1_000_001))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(take(large, { textMedia: 'keep' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('are no more than a message may hold, and need the right to store them', async () => {
    expect((await take(Array.from({ length: 21 }, () => dataUrl).join(' '))).attachments).toHaveLength(1);
    const urlOf = (last: number) =>
      `data:image/png;base64,${Buffer.concat([png, Buffer.from([last])]).toString('base64')}`;
    const many = Array.from({ length: 21 }, (_, index) => urlOf(index)).join(' ');
    await expect(take(many)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(take(dataUrl, { fileCount: 20 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(take(dataUrl, { rights: ['messages:send'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('are found in 16 MiB of data URLs, of one cut off, and of those in one another', async () => {
    const tinyOf = (index: number) => `data:image/gif;base64,${Buffer.from(`GIF89a${index}`).toString('base64')} `;
    const all = Array.from({ length: (16 * 1024 * 1024) / 44 }, (_, index) => tinyOf(index)).join('');
    await expect(readWords({ text: all, fileCount: 0 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const cut = await readWords({ text: dataUrl.slice(0, -37), fileCount: 0 });
    expect(filesIn(cut)).toHaveLength(1);
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg"><image href="${dataUrl}"/></svg>`;
    const nested = `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`;
    expect(filesIn(await readWords({ text: nested, fileCount: 0 }))).toMatchObject([{ mimeType: 'image/svg+xml' }]);
  });
});
