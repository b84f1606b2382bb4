import type { DeliveryContents } from '@attache/agent-process';
import type { AttachmentId, ByteReference, Part } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import {
  findHistory,
  judgeWire,
  listNewBlocks,
  matchItems,
  referencesOf,
  type SentItem,
  type WireRequest,
  type WireTurn,
  type WireVerdict,
} from '@attache/domain';
import { digestText, type SpelledText } from '@attache/model-relay';
import type { RunningTurn } from '../output/output-sink.ts';
import type { Sent } from './list-sent.ts';

/** The requests that a turn left on the wire, and the parts and files of its message. */
export type WireEvidence = {
  turn: Pick<RunningTurn, 'requests' | 'earlier' | 'use'>;
  parts: readonly Part[];
  contents: DeliveryContents;
  attachments: readonly Pick<StoredAttachment, 'attachment'>[];
};

// It holds up what would be said of the turn, and shows nothing itself.
const unread: WireRequest = { blocks: undefined, answer: undefined };
const unreadable: SpelledText = { sha256: '', sizeBytes: 0 };

/** The verdict for each item, by the requests of its turn that left for the provider (BX-23). */
export function judgeOnWire(
  sent: readonly Sent[],
  evidence: WireEvidence,
  endedByItself: boolean,
): readonly WireVerdict[] {
  const { requests, earlier } = evidence.turn;
  const seen = requests.flatMap(({ hasEnded, request = hasEnded ? undefined : unread }) => request ?? []);
  return judgeWire(describeSent(sent, evidence), { requests: seen, earlier, endedByItself });
}

/** The attachments whose bytes are new in a request, by the digest with which they left; pictures that a program made again are included. */
export function nameWire(
  sent: readonly Sent[],
  evidence: Omit<WireEvidence, 'turn'>,
  request: WireRequest,
  earlier: WireTurn['earlier'],
): ReadonlyMap<string, AttachmentId> {
  const known = earlier === 'unseen' ? findHistory(request) : earlier;
  const matches = matchItems(describeSent(sent, evidence), listNewBlocks(request, known));
  return new Map(
    matches.flatMap((match, index) => {
      const item = sent[index]?.item;
      return match === undefined || item === undefined ? [] : [[match.wire.sha256, item.attachmentId] as const];
    }),
  );
}

function describeSent(sent: readonly Sent[], evidence: Omit<WireEvidence, 'turn'>): readonly SentItem[] {
  const texts = listTexts(evidence.parts);
  return sent.map(({ item, by }): SentItem => {
    const { attachmentId, variantId, sha256 = '', sizeBytes = 0 } = item;
    const text = by === 'message' ? texts.find((each) => each.attachmentId === attachmentId) : undefined;
    const spelled = text && spellText(evidence.contents, text);
    return { by, sha256, sizeBytes, spelled, ...findSize(evidence.attachments, attachmentId, variantId) };
  });
}

const listTexts = (parts: readonly Part[]): readonly ByteReference[] =>
  parts.filter(({ type }) => type === 'text-file').flatMap(referencesOf);

/** A file that the agent has removed meanwhile proves nothing. */
function spellText(contents: DeliveryContents, text: ByteReference): SpelledText {
  try {
    return digestText(contents.text(text));
  } catch {
    return unreadable;
  }
}

/** In pixels, if a picture is known by them. */
function findSize(
  attachments: WireEvidence['attachments'],
  attachmentId: string,
  variantId: string | undefined,
): Pick<SentItem, 'width' | 'height'> {
  const attachment = attachments.find(({ attachment: { id } }) => id === attachmentId)?.attachment;
  const { width, height } =
    variantId === undefined
      ? (attachment?.facts ?? {})
      : (attachment?.variants.find(({ id }) => id === variantId) ?? {});
  return { width, height };
}
