export { addTenant } from './add-tenant.ts';
export { type Answer, type Api, createApi, type Request } from './api.ts';
export { dumpDatabase } from './dump-database.ts';
export { makeNoisePng, makePng, makePngHeader } from './make-png.ts';
export { type SpawnedStack, spawnStack } from './spawn-stack.ts';
export { type StackUnderTest, startEmbedded } from './start-embedded.ts';
export { listBlobKeys, listTemporaryFiles, readStoredState, type StoredState } from './stored-state.ts';
export { copyTemplateFolder } from './template-folder.ts';
export { testConfig } from './test-config.ts';
