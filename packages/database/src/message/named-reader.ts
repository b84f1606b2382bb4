import type { BudgetName } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { type FoundAttachment, type StoredAttachment, toStored } from '../attachment/attachment-reader.ts';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import type { Database } from '../database.ts';
import { agent, capabilityOverride, session } from '../schema.ts';
import type { AgentRow } from '../session/agent-reader.ts';
import type { SessionRow } from '../session/session-reader.ts';
import { type Overrides, toOverrides } from '../tenancy/capability-override-reader.ts';
import { type Probes, type ProbesJson, toProbes } from '../tenancy/profile-probe.ts';

/** What an agent's runtime holds of its history, by budget. */
export type Resident = Partial<Record<BudgetName, number>>;

/**
 * What a message names, as far as it exists here: present agents of the session, attachments of any session of the tenant. `resident`
 * by agent, where attachments are named.
 */
export type Named = {
  session: SessionRow;
  agents: AgentRow[];
  attachments: StoredAttachment[];
  probes: Probes;
  overrides: Overrides;
  resident: ReadonlyMap<string, Resident>;
};

type NamedJson = {
  session: JsonRow;
  agents: JsonRow[];
  attachments: FoundAttachment[];
  probes: ProbesJson;
  overrides: JsonRow[];
  resident: Record<string, Resident>;
};

/** Reads in one round trip what a message names, by uuid. Undefined: the session is unknown, deleted or another tenant's. */
export async function readNamed(
  db: Database,
  named: { tenantId: string; sessionId: string; agentIds: readonly string[]; attachmentIds: readonly string[] },
): Promise<Named | undefined> {
  const found = await db.call<NamedJson | null>(sql`select attache_read_named(${JSON.stringify(named)}::jsonb)`);
  if (!found) return undefined;
  return {
    session: rowFromJson(session, found.session),
    agents: found.agents.map((json) => rowFromJson(agent, json)),
    attachments: found.attachments.map(toStored),
    probes: toProbes(found.probes),
    overrides: toOverrides(found.overrides.map((json) => rowFromJson(capabilityOverride, json))),
    resident: new Map(Object.entries(found.resident)),
  };
}
