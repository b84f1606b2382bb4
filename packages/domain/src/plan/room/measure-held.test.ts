import type { ByteReference, Part } from '@attache/contracts';
import { expect, it } from 'vitest';
import { attachmentId } from '../__fixtures__/plan-fixtures.ts';
import { measureHeld } from './measure-held.ts';
import { base64Bytes } from './transport-size.ts';

const reference = (sizeBytes: number): ByteReference => ({
  attachmentId: attachmentId(1),
  mimeType: 'image/jpeg',
  sizeBytes,
  sha256: 'a'.repeat(64),
});
const budget = {
  pages: { used: 120, limit: 600, resident: 0 },
  bytes: { used: 50_000_000, limit: 60_000_000, resident: 0 },
};
const measure = (parts: Part[]) => measureHeld(parts, { budget }, () => 'a "quoted" word');

it('counts the bytes that are sent, not those that a plan allowed for [BX-01]', () => {
  const pages = Array.from({ length: 120 }, () => reference(20_000));
  const { bytes, images, imageBytes } = measure([{ type: 'pages', name: 'long.pdf', pages }]);
  expect(images).toBe(120);
  expect(bytes).toBeGreaterThan(120 * base64Bytes(20_000));
  expect(bytes).toBeLessThan(120 * base64Bytes(20_000) * 1.05);
  expect(imageBytes).toBeGreaterThan(120 * base64Bytes(20_000));
  expect(imageBytes).toBeLessThan(bytes);
});

it('counts a text as it stands in JSON, and what is only told of [BX-01]', () => {
  const none = measure([]).bytes;
  const word: Part = { type: 'text-file', bytes: reference(15), name: 'w.txt' };
  const told: Part = { type: 'descriptor', attachmentId: attachmentId(1), text: 'a'.repeat(1000) };
  expect(measure([word]).bytes - none).toBeGreaterThan('a \\"quoted\\" word'.length);
  expect(measure([word]).bytes - none).toBeLessThan(600);
  expect(measure([told]).bytes - none).toBeGreaterThanOrEqual(1000);
});

it('takes pixels and pages from the plan: what was made does not tell them', () => {
  expect(measure([])).toMatchObject({ pixels: 0, pages: 120, images: 0 });
});
