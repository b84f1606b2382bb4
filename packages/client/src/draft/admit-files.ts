import type { AttachmentSource, SessionPolicy } from '@attache/contracts';
import { createIdempotencyKey } from '../request/idempotency-key.ts';
import { assertReadable } from '../upload/upload-file.ts';
import { type Candidate, checkFiles } from './check-files.ts';
import { type DraftState, isUploading, type NewItem } from './draft-state.ts';
import type { DraftOptions, Rejection } from './draft-types.ts';
import { guessKind, guessMimeType } from './guess-kind.ts';

type Admission = Pick<DraftOptions, 'supported' | 'maxFiles'> & {
  source: AttachmentSource | undefined;
  policy: SessionPolicy | undefined;
  readState(): DraftState;
};

/** The items of the files that may go, and why the others may not. */
export async function admitFiles(
  files: readonly Blob[],
  { source, readState, ...rules }: Admission,
): Promise<{ items: NewItem[]; rejected: Rejection[] }> {
  const candidates = await Promise.all(files.map(describeFile));
  const state = readState();
  const present = state.items.filter((item) => item.generation === state.generation);
  const found = checkFiles(candidates, {
    ...rules,
    presentKinds: present.map(({ kind }) => kind),
    unstoredBytes: present.filter(isUploading).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  });
  const items = files.flatMap((file, index) => {
    const candidate = candidates[index];
    return candidate === undefined || found[index] !== undefined ? [] : toItem(file, candidate, source);
  });
  return { items, rejected: found.flatMap((rejection) => rejection ?? []) };
}

async function describeFile(file: Blob): Promise<Candidate> {
  const name = 'name' in file && typeof file.name === 'string' ? file.name : 'file';
  const mimeType = guessMimeType(name, file.type);
  const isReadable = await assertReadable(file, 'FILE_UNREADABLE').then(
    () => true,
    () => false,
  );
  return { name, mimeType, kind: guessKind(mimeType), sizeBytes: file.size, isReadable };
}

function toItem(
  file: Blob,
  { name, mimeType, kind, sizeBytes }: Candidate,
  source: AttachmentSource | undefined,
): NewItem {
  const idempotencyKey = createIdempotencyKey();
  return {
    ...{ key: idempotencyKey, idempotencyKey, name, mimeType, kind, sizeBytes, source },
    ...{ file, body: file, storedId: undefined, stage: { name: 'queued' } },
  };
}
