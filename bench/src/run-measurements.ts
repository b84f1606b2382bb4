import { measureAgents } from './embedded/agents/measure-agents.ts';
import { measureCheckpointTurns } from './embedded/agents/measure-checkpoint-turns.ts';
import { measureCheckpoints } from './embedded/agents/measure-checkpoints.ts';
import { measurePrompts as measureEmbeddedPrompts } from './embedded/agents/measure-prompts.ts';
import { measureReady } from './embedded/agents/measure-ready.ts';
import { measureSessions } from './embedded/agents/measure-sessions.ts';
import { type EmbeddedMeasurement, openEmbeddedBench } from './embedded/bench.ts';
import { measureGate } from './embedded/calls/measure-gate.ts';
import { measureStrip } from './embedded/calls/measure-strip.ts';
import { measureClient } from './embedded/measure-client.ts';
import { measureDelivery } from './embedded/measure-delivery.ts';
import { measureFairness as measureEmbeddedFairness } from './embedded/measure-fairness.ts';
import { measureHistory } from './embedded/measure-history.ts';
import { measureMemory as measureEmbeddedMemory } from './embedded/measure-memory.ts';
import { measureProjection } from './embedded/measure-projection.ts';
import { measureStart } from './embedded/measure-start.ts';
import { measureTranscript } from './embedded/measure-transcript.ts';
import { measureUploads as measureEmbeddedUploads } from './embedded/measure-uploads.ts';
import { measureBacklog } from './embedded/variants/measure-backlog.ts';
import { measureDocuments } from './embedded/variants/measure-documents.ts';
import { measureVariants } from './embedded/variants/measure-variants.ts';
import { type HostedMeasurement, openHostedBench } from './hosted/bench.ts';
import { measureClients } from './hosted/measure-clients.ts';
import { measureCpuCost, measureMemory } from './hosted/measure-cost.ts';
import { measureDeliveries } from './hosted/measure-deliveries.ts';
import { measureDownloads } from './hosted/measure-downloads.ts';
import { measureFairness } from './hosted/measure-fairness.ts';
import { measureForwardMark } from './hosted/measure-forward-mark.ts';
import { measureGateways } from './hosted/measure-gateways.ts';
import { measureList } from './hosted/measure-list.ts';
import { measurePrompts } from './hosted/measure-prompts.ts';
import { measureStarts } from './hosted/measure-start.ts';
import { measureTakeovers } from './hosted/measure-takeover.ts';
import { measureUploads } from './hosted/measure-uploads.ts';
import type { StoreName } from './hosted/start-backends.ts';
import { measureResponses } from './hosted/steps/measure-responses.ts';
import { measureSteps } from './hosted/steps/measure-steps.ts';
import { measurePeers } from './peers/measure-peers.ts';
import { measureRelay } from './relay/measure-relay.ts';
import { measureScan } from './relay/measure-scan.ts';
import type { Result, Stack } from './report/result.ts';
import { measureSandbox } from './sandbox/measure-sandbox.ts';

const hosted: readonly HostedMeasurement[] = [
  { name: 'uploads', measure: measureUploads },
  { name: 'clients', measure: measureClients },
  { name: 'peers', measure: measurePeers },
  { name: 'downloads', measure: measureDownloads },
  { name: 'deliveries', measure: measureDeliveries },
  { name: 'responses', measure: measureResponses },
  { name: 'gateways', measure: measureGateways },
  { name: 'takeover', measure: measureTakeovers },
  { name: 'mark', measure: measureForwardMark },
  { name: 'prompts', measure: measurePrompts },
  { name: 'cpu', measure: measureCpuCost },
  { name: 'memory', measure: measureMemory },
  { name: 'list', measure: measureList },
  { name: 'fairness', measure: measureFairness },
  { name: 'start', measure: measureStarts },
  { name: 'steps', measure: measureSteps },
];

/** The steps have servers of their own. */
const isOnAnyStore = ({ name }: Named): boolean => name !== 'steps';

const embedded: readonly EmbeddedMeasurement[] = [
  { name: 'uploads', measure: measureEmbeddedUploads },
  { name: 'client', measure: measureClient },
  { name: 'memory', measure: measureEmbeddedMemory },
  { name: 'deliveries', measure: measureDelivery },
  { name: 'prompts', measure: measureEmbeddedPrompts },
  { name: 'sessions', measure: measureSessions },
  { name: 'ready', measure: measureReady },
  { name: 'variants', measure: measureVariants },
  { name: 'backlog', measure: measureBacklog },
  { name: 'documents', measure: measureDocuments },
  { name: 'fairness', measure: measureEmbeddedFairness },
  { name: 'projections', measure: measureProjection },
  { name: 'history', measure: measureHistory },
  { name: 'transcript', measure: measureTranscript },
  { name: 'gate', measure: measureGate },
  { name: 'strip', measure: measureStrip },
  { name: 'relay', measure: measureRelay },
  { name: 'scan', measure: measureScan },
  { name: 'sandbox', measure: measureSandbox },
  { name: 'start', measure: measureStart },
  { name: 'agents', measure: measureAgents, isOnlyOfWholeRuns: true },
  { name: 'checkpoints', measure: measureCheckpoints, isOnlyOfWholeRuns: true },
  { name: 'checkpoint-turns', measure: measureCheckpointTurns, isOnlyOfWholeRuns: true },
];

const SAID_CHARACTERS = 2_000;

/** The names that `--only` takes. */
export const measurementNames = [...new Set([...hosted, ...embedded].map(({ name }) => name))];

/** The measurements of these stacks that a selection takes, in their order. */
export function listMeasurements(
  stacks: readonly Stack[],
  selection: Pick<Selection, 'only' | 'isQuick'>,
): { stack: Stack; name: string }[] {
  const versitygw = hosted.filter(isOnAnyStore);
  const all: Record<Stack, readonly Named[]> = { hosted, versitygw, embedded, scale: [] };
  return stacks.flatMap((stack) =>
    all[stack].filter((one) => isSelected(one, selection)).map(({ name }) => ({ stack, name })),
  );
}

export type Selection = {
  only: string | undefined;
  isQuick: boolean;
  /** Rejects when the run is to end early; what was measured before is kept. */
  interrupted: Promise<never>;
  /** Aborted with it. */
  ending: AbortSignal;
  /** A measurement that came to no end: the others continue. */
  fail(name: string, error: unknown): void;
  counted(rounds: number): number;
  say(line: string): void;
};

type Bench<M> = M extends { measure(bench: infer B): Promise<Result[]> } ? B : never;

type Named = { name: string; isOnlyOfWholeRuns?: boolean };

const isSelected = (
  { name, isOnlyOfWholeRuns = false }: Named,
  { only, isQuick }: Pick<Selection, 'only' | 'isQuick'>,
): boolean => (only === undefined ? !(isQuick && isOnlyOfWholeRuns) : only === name);

async function runAll<M extends Named & { measure(bench: never): Promise<Result[]> }>(
  measurements: readonly M[],
  bench: Bench<M>,
  selection: Selection,
): Promise<Result[]> {
  const { say, fail, interrupted, ending } = selection;
  const results: Result[] = [];
  for (const measurement of measurements) {
    if (!isSelected(measurement, selection)) continue;
    const { name, measure } = measurement;
    say(`${name} …`);
    try {
      results.push(...(await Promise.race([measure(bench as never), interrupted])));
    } catch (error) {
      fail(name, error);
    }
    if (ending.aborted) return results;
  }
  return results;
}

/** The hosted stack: three services, Postgres, NATS and an object store, against the floors on the same servers. */
export async function runHosted(
  selection: Selection,
  store: StoreName,
): Promise<{ results: Result[]; servers: Record<string, string> }> {
  selection.say(`Starting Postgres, NATS, ${store}, the three services and the floors …`);
  await using bench = await openHostedBench(selection, store);
  const fail: Selection['fail'] = (name, error) => {
    selection.fail(name, error);
    for (const [service, { stderr }] of Object.entries(bench.product.stack.services)) {
      if (stderr() !== '') selection.say(`${service} said: ${stderr().slice(-SAID_CHARACTERS)}`);
    }
  };
  const measurements = store === 'minio' ? hosted : hosted.filter(isOnAnyStore);
  const results = await runAll(measurements, bench, { ...selection, fail });
  return { results, servers: bench.backends.descriptions };
}

/** The embedded stack, against a bare program on the same files. */
export async function runEmbedded(selection: Selection): Promise<Result[]> {
  selection.say('Starting the embedded stack and the bare program …');
  await using bench = await openEmbeddedBench(selection);
  // Awaited here: what is measured must not stop before.
  return await runAll(embedded, bench, selection);
}
