import { conversationCases } from './cases/conversations.ts';
import { draftCases } from './cases/drafts.ts';
import { tokenCases } from './cases/tokens.ts';
import { uploadCases } from './cases/uploads.ts';
import { versionCases } from './cases/versions.ts';
import { type Case, createContext, type RunOptions } from './context.ts';

export type { RunOptions } from './context.ts';

export type CaseResult = { name: string; error?: string };

export const cases: readonly Case[] = [
  ...uploadCases,
  ...tokenCases,
  ...draftCases,
  ...conversationCases,
  ...versionCases,
];

/** Runs every case, one after the other: they share one proxy and its faults. */
export async function runSuite(options: RunOptions): Promise<CaseResult[]> {
  const context = createContext(options);
  const results: CaseResult[] = [];
  for (const { name, run } of cases) {
    try {
      await context.plant();
      await run(context);
      results.push({ name });
    } catch (error) {
      results.push({ name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  return results;
}
