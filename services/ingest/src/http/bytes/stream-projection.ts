import { hash, randomUUID } from 'node:crypto';
import { BlobNotFoundError, type BlobStore, parseBlobKey } from '@attache/blob-store';
import { type ByteReference, Fault, type ProjectionFormat, uuidFromId } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { referencesOf } from '@attache/domain';
import { expiryOf, type SigningKeys, signRawUrl } from '@attache/intake';
import { type ByteRendering, projectParts } from '@attache/projections';
import type { Projected } from '../../message/project-message.ts';

const URL_LIFETIME_SECONDS = 3600;

type Serving = {
  blobs: BlobStore;
  signingKeys: SigningKeys;
  baseUrl: string;
  tenantId: string;
  /** The generation of the tenant's signed URLs. */
  tenantGeneration: number;
  format: ProjectionFormat;
  bytes: 'inline' | 'url';
};

/** How bytes appear in the answer: as base64, or as text inside a JSON string. */
type Embedded = { as: 'base64' | 'text'; reference: ByteReference };

function findStored(attachments: readonly StoredAttachment[], { attachmentId }: ByteReference): StoredAttachment {
  const stored = attachments.find(({ id }) => id === uuidFromId(attachmentId));
  if (!stored) throw lost();
  return stored;
}

const lost = () =>
  new Fault('ATTACHMENT_NOT_FOUND', 'A file of the message was deleted meanwhile. Ask again without it.');

function findKey(attachments: readonly StoredAttachment[], reference: ByteReference): string {
  const stored = findStored(attachments, reference);
  const key = reference.variantId === undefined ? stored.blobKey : stored.variantKeys.get(reference.variantId);
  if (key === undefined) throw lost();
  return key;
}

/** The answer's text in pieces, with marks that nobody can guess in the places of bytes. */
function writeBody(
  serving: Serving,
  { parts, plan, attachments }: Projected,
): { pieces: string[]; embedded: Embedded[] } {
  const mark = randomUUID();
  const embedded: Embedded[] = [];
  const embed = (as: Embedded['as']) => (reference: ByteReference) =>
    `${mark}:${embedded.push({ as, reference }) - 1}:`;
  const expiresAt = expiryOf(URL_LIFETIME_SECONDS, Date.now() / 1000);
  const rendering: ByteRendering = {
    base64: embed('base64'),
    text: embed('text'),
    ...(serving.bytes === 'inline'
      ? {}
      : {
          url: (reference) => {
            const { attachmentId, variantId } = reference;
            const { urlGeneration: generation } = findStored(attachments, reference);
            const { tenantGeneration } = serving;
            const claims = { attachmentId, variantId, generation, tenantGeneration, expiresAt };
            return signRawUrl(serving.signingKeys, serving.baseUrl, serving.tenantId, claims);
          },
        }),
  };
  const body = JSON.stringify({ parts: projectParts(serving.format, parts, rendering), plan });
  return { pieces: body.split(new RegExp(`${mark}:\\d+:`)), embedded };
}

async function readVerified(blobs: BlobStore, key: string, { sha256 }: ByteReference): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await blobs.get(parseBlobKey(key))) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (hash('sha256', bytes) !== sha256) throw new Error('stored bytes do not have their recorded digest');
  return bytes;
}

async function* writePieces(
  blobs: BlobStore,
  pieces: readonly string[],
  embedded: readonly (Embedded & { key: string })[],
): AsyncGenerator<Uint8Array> {
  for (const [index, piece] of pieces.entries()) {
    yield Buffer.from(piece);
    const content = embedded[index];
    if (!content) continue;
    const bytes = await readVerified(blobs, content.key, content.reference);
    yield Buffer.from(
      content.as === 'base64' ? bytes.toString('base64') : JSON.stringify(bytes.toString()).slice(1, -1),
    );
  }
}

/** `{parts, plan}` with the bytes in their places, one file in memory at a time. What is lost is refused before the first byte. */
export async function streamProjection(serving: Serving, projected: Projected): Promise<Response> {
  const { pieces, embedded } = writeBody(serving, projected);
  const { attachments } = projected;
  for (const reference of projected.parts.flatMap(referencesOf)) {
    await serving.blobs.head(parseBlobKey(findKey(attachments, reference))).catch((error: unknown) => {
      throw error instanceof BlobNotFoundError ? lost() : error;
    });
  }
  const withKeys = embedded.map((content) => ({ ...content, key: findKey(attachments, content.reference) }));
  const body = ReadableStream.from(writePieces(serving.blobs, pieces, withKeys));
  return new Response(body, { status: 200, headers: { 'content-type': 'application/json' } });
}
