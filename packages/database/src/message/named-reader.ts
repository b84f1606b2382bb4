import type { BudgetName, Contradiction } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { type FoundAttachment, type StoredAttachment, toStored } from '../attachment/attachment-reader.ts';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import type { Database } from '../database.ts';
import { type RefusedFile, type RefusedFileJson, toRefusedFile } from '../quarantine/quarantine-reader.ts';
import { agent, capabilityOverride, session } from '../schema.ts';
import type { AgentRow } from '../session/agent-reader.ts';
import type { SessionRow } from '../session/session-reader.ts';
import { type Overrides, toOverrides } from '../tenancy/capability-override-reader.ts';
import { type Probes, type ProbesJson, toProbes } from '../tenancy/profile-probe.ts';
import type { DayTokens } from '../use/use-reader.ts';

/** The content of its history that an agent's runtime holds, by budget; of its bytes also those of images. */
export type Resident = Partial<Record<BudgetName | 'imageBytes', number>>;

/**
 * The objects that a message names, as far as they exist here: present agents of the session, attachments of any session of the tenant. `resident` is by agent,
 * and only present if attachments are named.
 */
export type Named = {
  session: SessionRow;
  agents: AgentRow[];
  attachments: StoredAttachment[];
  probes: Probes;
  overrides: Overrides;
  /** Contradictions of rows of the catalog, for this tenant and for all. */
  contradictions: readonly Contradiction[];
  resident: ReadonlyMap<string, Resident>;
  /** The files that models refused in this session; given only if attachments are named. */
  refused: readonly RefusedFile[];
  /** The tokens that the tenant has used today. */
  tokens: DayTokens;
  /** The data that a ring adds to the ids. */
  found: FoundNamed;
};

/** Attachments and probes as the database says them, and the incarnation of the living gateway that owned the session then. */
export type FoundNamed = { attachments: FoundAttachment[]; probes: ProbesJson; owner?: string | null | undefined };

/** The same as the database says it. */
export type NamedJson = {
  session: JsonRow;
  agents: JsonRow[];
  attachments: FoundAttachment[];
  probes: ProbesJson;
  overrides: JsonRow[];
  contradictions: Contradiction[];
  resident: Record<string, Resident>;
  refused: RefusedFileJson[];
  tokens: DayTokens;
  owner?: string | null;
};

/** All ids are uuids. */
export type NamedIds = { sessionId: string; agentIds: readonly string[]; attachmentIds: readonly string[] };

/** Reads in one round trip what a message names. Undefined: the session is unknown, deleted or another tenant's. */
export async function readNamed(db: Database, named: NamedIds & { tenantId: string }): Promise<Named | undefined> {
  const found = await db.call<NamedJson | null>(sql`select attache_read_named(${JSON.stringify(named)}::jsonb)`, {
    tenantId: named.tenantId,
  });
  return found ? toNamed(found) : undefined;
}

export function toNamed(found: NamedJson): Named {
  return {
    session: rowFromJson(session, found.session),
    agents: found.agents.map((json) => rowFromJson(agent, json)),
    attachments: found.attachments.map(toStored),
    probes: toProbes(found.probes),
    overrides: toOverrides(found.overrides.map((json) => rowFromJson(capabilityOverride, json))),
    contradictions: found.contradictions,
    resident: new Map(Object.entries(found.resident)),
    refused: found.refused.map(toRefusedFile),
    tokens: found.tokens,
    found: { attachments: found.attachments, probes: found.probes, owner: found.owner },
  };
}
