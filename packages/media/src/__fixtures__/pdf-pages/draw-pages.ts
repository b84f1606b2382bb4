import type { PageGap, Warning } from '@attache/contracts';
import sharp from 'sharp';
import { inspectFile } from '../../kinds/inspect-file.ts';
import { makeVariant } from '../../kinds/make-variant.ts';
import type { createTempFolder } from '../temp-folder.ts';

/** The outcome of a page. `darkest`: its least red. */
export type Drawn = { code: string } | { warnings: readonly Warning[]; darkest: number };

/** Inspects PDFs and draws their pages. */
export function createPdfTools(folder: ReturnType<typeof createTempFolder>) {
  const inspect = async (pdf: Buffer) => {
    const path = folder.write('file', pdf);
    const reply = await inspectFile({ task: 'inspect', path, sizeBytes: pdf.length, maxPixels: 9 });
    if (reply.status !== 'ready') throw new Error(reply.status);
    return reply;
  };
  const knownGaps = async (pdf: Buffer): Promise<PageGap[] | undefined> => (await inspect(pdf)).facts.pageGaps;
  const draw = async (pdf: Buffer, page = 2): Promise<Drawn> => {
    const outputPath = folder.write('variant', '');
    const limits = { mimeType: 'image/png', maxEdgePixels: 600, maxBytes: 9_000_000 } as const;
    const recipe = { purpose: 'page-image', page, ...limits } as const;
    const task = { task: 'make-variant', mimeType: 'application/pdf', facts: {}, maxPixels: 9 } as const;
    const reply = await makeVariant({ ...task, path: folder.write('source', pdf), outputPath, recipe });
    if (reply.status === 'failed') return { code: reply.problem.code };
    const { channels } = await sharp(outputPath).stats();
    return { warnings: reply.warnings, darkest: channels[0]?.min ?? 255 };
  };
  return { inspect, knownGaps, draw };
}
