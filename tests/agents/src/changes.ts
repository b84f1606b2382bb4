import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalog } from '@attache/domain';
import { agentTable } from '@attache/infra/agents/agent-table';
import { runtimesUnderTest } from './runtimes.ts';

const page = fileURLToPath(new URL('../../../docs/compatibility.md', import.meta.url));

/** The keys of all programs that are driven. */
export const agentsUnderTest: readonly string[] = runtimesUnderTest.map(({ key }) => key);

/** A short digest of every row of the catalog and of the pinned version of every program. */
export function digestRows(): string {
  return createHash('sha256')
    .update(JSON.stringify([catalog, agentTable]))
    .digest('hex')
    .slice(0, 12);
}

/** Whether a row or a version has changed since docs/compatibility.md was made by driving every program. */
export function haveAgentsChanged(): boolean {
  return !readFileSync(page, 'utf8').includes(`\`${digestRows()}\``);
}
