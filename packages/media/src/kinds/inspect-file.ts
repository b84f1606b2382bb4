import { readHead } from '../file/read-file.ts';
import type { InspectReply, InspectTask } from '../worker-protocol.ts';
import { detectType } from './detect-type.ts';
import { findKind } from './kinds.ts';
import { inspectText } from './text/inspect.ts';
import { sniffText } from './text/sniff.ts';

/** Type and facts of a file, by its content: of images, PDF, sound and video only what a parser has accepted is ready. */
export async function inspectFile(task: InspectTask): Promise<InspectReply> {
  const { isWeak, ...detected } = await detectType(task);
  const reply = await findKind(detected.mimeType).inspect({ ...task, ...detected });
  if (reply.status === 'ready' || !isWeak) return reply;
  const { path, textType } = task;
  return inspectText(await sniffText({ path, head: readHead(path), textType }));
}
