import { attachmentKinds } from '@attache/contracts';
import { expect, it } from 'vitest';
import { kindRules, rulesOf } from './kind-rules.ts';

it('has rules for every recorded kind, and each form of a file only once', () => {
  const rules = Object.values(kindRules);
  expect(new Set(rules.map(({ kind }) => kind))).toEqual(new Set(attachmentKinds));
  for (const { forms } of rules) expect(new Set(forms).size).toBe(forms.length);
});

it('goes by the kind that was recorded, and within it by the media type', () => {
  expect(rulesOf({ kind: 'document', mimeType: 'application/pdf' })).toBe(kindRules.pdf);
  // A file that was inspected before its type was known here keeps its rules.
  expect(rulesOf({ kind: 'unsupported', mimeType: 'application/pdf' })).toBe(kindRules.unsupported);
  expect(rulesOf({ kind: 'image', mimeType: 'image/x-unheard-of' })).toBe(kindRules.image);
});
