import type { InspectReply, InspectTask } from '../worker-protocol.ts';
import { detectType } from './detect-type.ts';
import { isImage } from './image-formats.ts';
import { inspectImage } from './inspect-image.ts';
import { inspectPdf } from './inspect-pdf.ts';

/** Type and facts of a file, by its content. */
export async function inspectFile(task: InspectTask): Promise<InspectReply> {
  const { mimeType, facts } = await detectType(task);
  if (mimeType === 'application/pdf') return inspectPdf({ ...task, mimeType, facts });
  if (isImage(mimeType)) return inspectImage({ ...task, mimeType, facts });
  return { status: 'ready', mimeType, facts, warnings: [] };
}
