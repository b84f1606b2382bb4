import { DEFAULT_LINE_BYTES, type Profile, type Profiles, runtimes, type Transport } from '@attache/contracts';
import { allowsOwnTools, resolveTarget, type TargetOutcome } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { drivenRuntimes } from '@attache/programs/find-program';
import { PERMISSION_MODE } from '@attache/standalone/config';
import { type Combination, combineRows, UNKNOWN_MODEL } from './combine-rows.ts';

/** Whom a file could be sent to, and what has to be known to plan for it. */
export type ExplainTarget = {
  /** Absent for what no profile offers. */
  profile?: string;
  transport: Transport;
  program?: string;
  provider: string;
  /** A name, or the pattern of a row of the catalog. */
  model: string;
  command: readonly string[];
  capability: Profile['capability'];
  lineBytes: number | undefined;
  /** Whether its agents may use tools of their own program, on a stack started here. */
  hasOwnTools: boolean;
};

export type NamedTarget = { ok: true; target: ExplainTarget } | Extract<TargetOutcome, { ok: false }>;

/** The target of a profile, with its own model or another one. */
export function findTarget(profiles: Profiles, profile: string, model?: string): NamedTarget {
  const found = resolveTarget(profiles, { profile, ...(model === undefined ? {} : { model }) });
  if (!found.ok) return { ...found, message: found.message.replace('target.model', '--model') };
  const { runtime, ...named } = found.target;
  const offered = profiles[profile];
  return {
    ok: true,
    target: {
      ...named,
      transport: runtime,
      command: offered?.command ?? [],
      capability: offered?.capability,
      lineBytes: offered?.limits.lineBytes,
      hasOwnTools: offered !== undefined && allowsOwnTools(offered, PERMISSION_MODE),
    },
  };
}

/** Targets that the catalog knows and this release can send to, installed here or not: a runtime without a driver carries nothing. */
export function listCatalogTargets(): ExplainTarget[] {
  return combineRows(catalog)
    .map(toTarget)
    .filter(({ transport }) => isUsable(transport));
}

const isUsable = (transport: Transport): boolean =>
  !isRuntime(transport) || [...drivenRuntimes].some((runtime) => runtime === transport);

function toTarget({ transport: { transport, program }, provider, model }: Combination): ExplainTarget {
  return {
    transport,
    ...(program === undefined ? {} : { program }),
    provider,
    model: model?.modelPattern ?? UNKNOWN_MODEL,
    command: program === undefined ? [] : [program],
    capability: undefined,
    lineBytes: isRuntime(transport) ? DEFAULT_LINE_BYTES : undefined,
    hasOwnTools: true,
  };
}

export function isRuntime(transport: Transport): boolean {
  return runtimes.some((runtime) => runtime === transport);
}
