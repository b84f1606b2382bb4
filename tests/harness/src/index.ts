export { createHostedDatabase, type HostedDatabase } from '@attache/database/contract/hosted-database';
export { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@attache/infra/otlp-receiver';
export type { StackLimits } from '@attache/standalone';
export { type Answer, type Api, createApi, type Request } from './api.ts';
export { awaitCarried } from './await-carried.ts';
export { type Canary, type CanaryHit, canaryOf, findCanaries, makeCanary, makeTextCanary } from './canary.ts';
export { showLogOfFailures } from './log/stack-logs.ts';
export { makeDocx } from './make-docx.ts';
export { makeNoisePng, makePng, makePngHeader } from './make-png.ts';
export { openTenant } from './open-tenant.ts';
export { type PickyModel, startPickyModel } from './picky-model.ts';
export { type AgentProcesses, findProcessesIn } from './processes/agent-processes.ts';
export {
  type ExpectedSpan,
  expectedTextSpans,
  findMissingSpans,
  type StackKind,
} from './spans/span-graph.ts';
export { assertConnected, buildSpanTree, type SpanNode } from './spans/span-tree.ts';
export { shareServers } from './stack/hosted-servers.ts';
export { keepProbes } from './stack/kept-probes.ts';
export {
  cli,
  conversingAgent,
  exampleAgent,
  lateAgent,
  mcpBridge,
  scriptedAgent,
  steeredAgent,
} from './stack/program.ts';
export { type CommandEnd, runCommand } from './stack/run-command.ts';
export { shortLimits } from './stack/short-limits.ts';
export { type ServiceName, type SpawnedService, spawnService } from './stack/spawn-service.ts';
export { type SpawnedStack, spawnStack } from './stack/spawn-stack.ts';
export { type StackUnderTest, startEmbedded } from './stack/start-embedded.ts';
export { type HostedOptions, type HostedServers, type HostedStack, startHosted } from './stack/start-hosted.ts';
export { copyTemplateFolder, probedTemplateIn } from './stack/template-folder.ts';
export { awaitProbes } from './stored/await-probes.ts';
export { countUnsettledOfDatabase, countUnsettledOfFolder, type Unsettled } from './stored/count-unsettled.ts';
export { dumpDatabase } from './stored/dump-database.ts';
export { dumpPostgres } from './stored/dump-postgres.ts';
export { listBlobKeys, listTemporaryFiles, readStoredState, type StoredState } from './stored/stored-state.ts';
export {
  type CallWatch,
  countingSettings,
  planCountingSettings,
  type StatementCalls,
  type Watched,
  watchCalls,
} from './stored/watch-calls.ts';
