import type { SessionPolicy } from '@attache/contracts';
import type { UploadAnswer } from '../answers.ts';
import { createAttachmentClient } from '../attachment-client.ts';
import { AttacheError } from '../errors/attache-error.ts';
import { createIdempotencyKey } from '../request/idempotency-key.ts';
import { createBackOff, keepTrying } from '../request/keep-trying.ts';
import type { Requester } from '../request/requester.ts';
import { rawPut } from './raw-put.ts';
import type { UploadFile, UploadJob, UploadOptions, UploadWay } from './upload-way.ts';

const UNKNOWN_TYPE = 'application/octet-stream';

type Uploading = {
  requester: Requester;
  ways: readonly UploadWay[];
  sessionId: string;
  policy?: SessionPolicy | undefined;
};

/** Uploads a file by the first way that supports it, and tries again as other requests do, under one idempotency key. */
export async function uploadFile(
  { requester, ways, sessionId, policy }: Uploading,
  file: UploadFile,
  options: UploadOptions = {},
): Promise<UploadAnswer> {
  const { signal, onProgress = () => {}, onWait } = options;
  const way = [...ways, rawPut].find((each) => each.supports(file, policy)) ?? rawPut;
  const backOff = createBackOff();
  let furthestBytes = 0;
  const job: UploadJob = {
    ...{ sessionId, file, signal, requester, source: options.source, encoding: options.encoding },
    name: options.name ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined),
    mimeType: file.type || UNKNOWN_TYPE,
    idempotencyKey: options.idempotencyKey ?? createIdempotencyKey(),
    isWatched: options.onProgress !== undefined,
    onProgress(progress) {
      if (progress.sentBytes > furthestBytes) {
        furthestBytes = progress.sentBytes;
        backOff.reset();
      }
      onProgress(progress);
    },
  };
  await assertReadable(file, 'FILE_UNREADABLE');
  const answer = await keepTrying(() => sendOnce(way, job), { signal, backOff, onWait });
  await discardChanged(requester, file, answer);
  return answer;
}

async function sendOnce(way: UploadWay, job: UploadJob): Promise<UploadAnswer> {
  try {
    return await way.send(job);
  } catch (error) {
    // A failed read looks like a failed network.
    if (error instanceof AttacheError && error.code === 'NETWORK_FAILED')
      await assertReadable(job.file, 'FILE_CHANGED');
    throw error;
  }
}

/** A browser looks at a file when it begins to read it: one that was written to meanwhile is stored as a mixture. */
async function discardChanged(requester: Requester, file: UploadFile, { attachment }: UploadAnswer): Promise<void> {
  try {
    await assertReadable(file, 'FILE_CHANGED');
  } catch (error) {
    // A caller who may not delete leaves it to the end of the session.
    await createAttachmentClient(requester, attachment.id)
      .delete()
      .catch(() => {});
    throw error;
  }
}

/** Reads the first byte of a file: one that was changed, moved or is a folder cannot be read. */
export async function assertReadable(file: UploadFile, code: 'FILE_UNREADABLE' | 'FILE_CHANGED'): Promise<void> {
  if (!(file instanceof Blob)) return;
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    const what =
      code === 'FILE_CHANGED' ? 'The file changed or was removed while it was sent' : 'The file cannot be read';
    throw new AttacheError(code, `${what}. Choose it again; a folder is added by its files.`, { cause });
  }
}
