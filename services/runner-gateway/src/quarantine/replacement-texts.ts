import type { AttachmentId } from '@attache/contracts';
import { describeReplacement } from '@attache/domain';

/** The text in the place of a part, and whose it is. */
export type ReplacementText = { readonly attachmentId: AttachmentId | undefined; readonly text: string };

export type ReplacementTexts = ReturnType<typeof createReplacementTexts>;

/** A text stays as it was when it first left: the beginning of a conversation is cached by its bytes. */
export function createReplacementTexts(names: ReadonlyMap<string, AttachmentId>) {
  const texts = new Map<string, ReplacementText>();
  const set = (wireSha256: string, attachmentId: AttachmentId | undefined, code: string): ReplacementText => {
    const made = { attachmentId, text: describeReplacement({ attachmentId, code }) };
    texts.set(wireSha256, made);
    return made;
  };
  return {
    /** That of a part, with the name that is known of it when it is first asked for. */
    of: ({ wireSha256, code }: { wireSha256: string; code: string }): ReplacementText =>
      texts.get(wireSha256) ?? set(wireSha256, names.get(wireSha256), code),
    set,
    drop: (wireSha256: string): boolean => texts.delete(wireSha256),
  };
}
