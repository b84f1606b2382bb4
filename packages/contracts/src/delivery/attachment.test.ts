import { expect, it } from 'vitest';
import { attachmentKinds } from './attachment.ts';

it('an attachment is of one of six kinds: image, document, text, audio, video, unsupported [DL-14]', () => {
  expect(attachmentKinds).toEqual(['image', 'document', 'text', 'audio', 'video', 'unsupported']);
});
