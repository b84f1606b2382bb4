import type { AttachmentFacts } from '@attache/contracts';
import { createMediaOmission } from './leave-out-media.ts';

export type MediaCounter = {
  push(text: string): void;
  /** After the last of it: nothing for a text without files. */
  facts(): Pick<AttachmentFacts, 'inlineMedia' | 'textBytes'>;
};

/** Counts the files within a text as base64, and the bytes that are left without them. */
export function createMediaCounter(): MediaCounter {
  const omission = createMediaOmission();
  const encoder = new TextEncoder();
  let textBytes = 0;
  const count = (text: string) => {
    textBytes += encoder.encode(text).length;
  };
  return {
    push: (text) => count(omission.push(text)),
    facts() {
      count(omission.end());
      const inlineMedia = omission.count();
      return inlineMedia === 0 ? {} : { inlineMedia, textBytes };
    },
  };
}
