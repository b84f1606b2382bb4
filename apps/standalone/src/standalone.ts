export { describeOpenApi } from '@attache/ingest';
export { type RunningStandalone, type Surroundings, startStandalone } from './compose.ts';
export { readStandaloneConfig, type StandaloneConfig, standaloneSettings } from './config.ts';
