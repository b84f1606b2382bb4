import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agentTable } from '@attache/infra/agents/agent-table';
import { catalog } from '@attache/programs/catalog';

const page = fileURLToPath(new URL('../../../docs/compatibility.md', import.meta.url));

/** A short digest of every row of the catalog and of the pinned version of every program. */
export function digestRows(): string {
  return createHash('sha256')
    .update(JSON.stringify([catalog.transports, catalog.models, [...agentTable]]))
    .digest('hex')
    .slice(0, 12);
}

/** Whether a row or a version has changed since docs/compatibility.md was made by driving every program. */
export function haveAgentsChanged(): boolean {
  return !readFileSync(page, 'utf8').includes(`\`${digestRows()}\``);
}
