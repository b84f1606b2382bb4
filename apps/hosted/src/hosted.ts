export { startHostedIngest } from './compose-ingest.ts';
export { migrateHosted } from './compose-migrate.ts';
export { startHostedProjector } from './compose-projector.ts';
export { startHostedGateway } from './compose-runner-gateway.ts';
export { readGatewayConfig, readIngestConfig, readMigrateConfig, readProjectorConfig } from './config.ts';
export type { RunningService } from './running-service.ts';
export { gatewaySettings, ingestSettings, migrateSettings, projectorSettings } from './settings.ts';
