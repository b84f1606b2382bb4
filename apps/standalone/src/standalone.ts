export { describeOpenApi } from '@attache/ingest';
export { type RunningStandalone, startStandalone } from './compose.ts';
export { readStandaloneConfig, type StackLimits, type StandaloneConfig } from './config.ts';
