import { findAgentProcesses } from '../../processes/agent-processes.ts';
import { readCpuSeconds } from '../../processes/process-cost.ts';
import type { Backends } from '../start-backends.ts';
import type { HostedProduct } from '../start-product.ts';

/** Processor time in milliseconds, by program. An agent is no part of its gateway. */
export type ProcessorTimes = Map<string, number>;

export async function readProcessorTimes({ stack }: HostedProduct, backends: Backends): Promise<ProcessorTimes> {
  const { ingest, projector, 'runner-gateway': gateway } = stack.services;
  const gatewayPid = gateway.process.pid ?? 0;
  const msOf = async (...pids: (number | undefined)[]) =>
    (await readCpuSeconds(pids.filter((pid) => pid !== undefined))) * 1000;
  const agents = await msOf(...(await findAgentProcesses(gatewayPid)).values());
  return new Map([
    ['ingest', await msOf(ingest.process.pid)],
    ['projector and its workers', await msOf(projector.process.pid)],
    ['gateway', (await msOf(gatewayPid)) - agents],
    ['Postgres', await msOf(backends.postgres.pid)],
    ['the object store', await msOf(backends.store.pid)],
    ['NATS', await msOf(stack.nats.pid)],
    ['agent', agents],
  ]);
}

/** The time that was used between two readings, divided by a count. */
export function shareOut(before: ProcessorTimes, after: ProcessorTimes, count: number): ProcessorTimes {
  return new Map([...after].map(([program, ms]) => [program, Math.max(0, ms - (before.get(program) ?? 0)) / count]));
}

/** The sum for our services and the servers that they work with. */
export const sumWithoutAgent = (times: ProcessorTimes): number =>
  [...times].reduce((sum, [program, ms]) => (program === 'agent' ? sum : sum + ms), 0);
