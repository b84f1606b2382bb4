import { type ByteReference, idFromUuid, type Part, type PlanItem } from '@attache/contracts';
import { composePart, type PlannableAttachment, planDelivery, resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { type EarlierMessage, projectParts, replayHistory } from '@attache/projections';

// A message of twenty files in a long conversation, as a platform that calls a model API itself would have it projected.

const target = { profile: undefined, runtime: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-4-6' } as const;
/** A target that takes no PDF as it is, so that documents become pages. */
const capability = resolveCapability(
  {
    target,
    declared: undefined,
    profileCapability: { pdf: false },
    lineBytes: undefined,
  },
  catalog,
);
const PAGES = 3;
const HASH = 'ab'.repeat(32);
/** The length of the mark in place of a file's bytes; the writer of the answer puts the bytes in. */
const MAX_MARK_CHARACTERS = 64;

const uuidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function describeFile(number: number, file: Pick<PlannableAttachment, 'mimeType' | 'kind' | 'facts'>) {
  const common = {
    name: `Figures of week ${number}, "final".bin`,
    sizeBytes: 200_000 + number,
    status: 'ready' as const,
  };
  return { id: idFromUuid('attachment', uuidOf(number)), ...common, ...file };
}

const picture = (edgePixels: number) =>
  ({ mimeType: 'image/jpeg', kind: 'image', facts: { width: edgePixels, height: 900, hasAlpha: false } }) as const;
const document = { mimeType: 'application/pdf', kind: 'document', facts: { pages: PAGES, textBytes: 9_000 } } as const;
const note = {
  mimeType: 'text/markdown',
  kind: 'text',
  facts: { encoding: 'utf-8', hasByteOrderMark: false },
} as const;

/** Six pictures as they are, six made smaller, three documents of three pages, five text files. */
const files: readonly PlannableAttachment[] = [
  ...Array.from({ length: 6 }, () => picture(1_200)),
  ...Array.from({ length: 6 }, () => picture(4_000)),
  ...Array.from({ length: 3 }, () => document),
  ...Array.from({ length: 5 }, () => note),
].map((file, index) => describeFile(index + 1, file));

/** Earlier messages that name a file each. */
export function makeHistory(messageCount: number): EarlierMessage[] {
  return Array.from({ length: messageCount }, (_, index) => ({
    text: `What do the figures of week ${index} say of the week before, and what is missing in them?`,
    attachments: [describeFile(1_000 + index, picture(1_200))],
  }));
}

const variantIds = Array.from({ length: PAGES }, (_, page) => idFromUuid('variant', uuidOf(page + 1)));

/** As if everything that the plan asks for had been made. */
function referTo({ attachmentId, recipe }: PlanItem, mimeType: string): ByteReference[] {
  if (recipe === undefined) return [{ attachmentId, mimeType, sizeBytes: 200_000, sha256: HASH }];
  const made = { attachmentId, mimeType: 'image/jpeg', sizeBytes: 100_000, sha256: HASH };
  const count = recipe.purpose === 'page-images' ? recipe.pages : 1;
  return variantIds.slice(0, count).map((variantId) => ({ ...made, variantId }));
}

const mark = ({ attachmentId, variantId }: ByteReference): string => `{${attachmentId}${variantId ?? ''}}`;
const rendering = { base64: mark, text: mark };

/** The blocks of the model's request: plan, parts, history, format. No byte of a file is touched. */
export function projectConversation(history: readonly EarlierMessage[]): unknown[] {
  const plan = planDelivery({
    target,
    capability,
    text: 'And now?',
    attachments: files,
    conversions: 'allow',
    resident: {},
    isUnknownOverridden: false,
  });
  const own = plan.items.map((item, index): Part => {
    const file = files[index] as PlannableAttachment;
    return composePart(item, file, referTo(item, file.mimeType));
  });
  const parts = [...replayHistory(history, { originals: 'none' }), { type: 'text', text: 'And now?' } as const, ...own];
  return projectParts('anthropic', parts, rendering);
}

/** Throws unless everything became what it should, with marks in the place of bytes. */
export function checkConversation(blocks: readonly unknown[], messageCount: number): void {
  const marks = [...JSON.stringify(blocks).matchAll(/"(\{att_[^"]*)"/g)].map(([, text = '']) => text);
  const counts = [blocks.length, marks.length, new Set(marks).size];
  const wanted = [2 * messageCount + 1 + 12 + 3 * (1 + PAGES) + 5, 26, 26];
  if (String(counts) !== String(wanted)) throw new Error(`Blocks, marks, kinds of marks: ${counts}, not ${wanted}.`);
  const longest = Math.max(...marks.map((text) => text.length));
  if (longest > MAX_MARK_CHARACTERS) throw new Error(`A mark has ${longest} characters.`);
}
