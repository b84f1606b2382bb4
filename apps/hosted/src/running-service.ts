import type { Stops } from './compose-process.ts';

export type RunningService = {
  /** The public address on which it listens; only ingest has one. */
  url?: string;
  opsUrl: string;
  /** Reads the profiles again, for the next plan and the next start of an agent. Faulty ones change nothing and are logged. */
  reloadProfiles?(): void;
  stop(): Promise<void>;
};

/** Readiness falls before anything stops. */
export async function drain(serving: { startDraining(): void }, stops: Stops): Promise<void> {
  serving.startDraining();
  await stops.stopAll();
}
