/** A file with one forbidden import, and the rule that must name it. */
export type PlantedImport = { shows: string; rule: string; path: string; text: string };

/** Files with imports that no rule may touch. */
export type AllowedFile = { path: string; text: string };

/** Vendors of the development tools, found at the workspace root and declared by no package. */
export const rootVendors = ['vitest', 'minio', '@nats-io/jetstream', 'react'];

function plant(rule: string, shows: string, path: string, text: string): PlantedImport {
  return { shows, rule, path, text: `${text}\n` };
}

const everywhere: PlantedImport[] = [
  plant(
    'not-resolvable',
    'a workspace package that is not declared',
    'packages/blob-store/src/planted-undeclared.ts',
    "import '@attache/database';",
  ),
  plant(
    'not-resolvable',
    'a path outside the exports',
    'services/ingest/src/planted-deep.ts',
    "import '@attache/domain/src/index.ts';",
  ),
  plant(
    'not-resolvable',
    'an undeclared package, by dynamic import',
    'packages/domain/src/planted-dynamic-undeclared.ts',
    "export const load = () => import('@attache/media');",
  ),
  plant(
    'not-resolvable',
    'an undeclared package behind `using`',
    'packages/media/src/planted-using.ts',
    "export async function load() {\n  await using store = await import('@attache/blob-store');\n  return store;\n}",
  ),
  plant(
    'declared-packages-only',
    'a vendor found only at the root',
    'packages/media/src/planted-undeclared-vendor.ts',
    "import 'vitest';",
  ),
  plant(
    'declared-packages-only',
    'a development dependency in shipped code',
    'packages/domain/src/planted-dev.ts',
    "import type {} from 'fast-check';",
  ),
  plant(
    'packages-by-name',
    'a path import',
    'packages/media/src/planted-path.ts',
    "import '../../contracts/src/index.ts';",
  ),
  plant(
    'packages-by-name',
    'a type-only path import',
    'services/projector/src/planted-type-path.ts',
    "import type { stub } from '../../../packages/domain/src/index.ts';\nexport type T = typeof stub;",
  ),
  plant(
    'packages-by-name',
    'a dynamic path import',
    'packages/agent-kit/src/planted-dynamic-path.ts',
    "export const load = () => import('../../contracts/src/index.ts');",
  ),
  plant(
    'packages-by-name-outside',
    'a path import from a test folder',
    'tests/e2e/planted-path.ts',
    "import '../../packages/contracts/src/index.ts';",
  ),
  plant(
    'contract-suites-from-tests',
    'a contract suite in shipped code',
    'packages/intake/src/planted-suite.ts',
    "import '@attache/blob-store/contract';",
  ),
];

const cycle: PlantedImport[] = [
  plant(
    'no-cycle',
    'a cycle that closes by a type',
    'packages/media/src/planted-cycle-a.ts',
    "import './planted-cycle-b.ts';\nexport const a = 1;",
  ),
];

const layers: PlantedImport[] = [
  plant(
    'contracts-zod-only',
    'contracts with another vendor',
    'packages/contracts/src/planted-vendor.ts',
    "import type {} from 'vitest';",
  ),
  plant(
    'zod-pinned',
    'a shape declared outside contracts',
    'services/ingest/src/planted-zod.ts',
    "import { z } from 'zod';\nexport const shape = z;",
  ),
  plant(
    'pure-no-node',
    'domain using Node',
    'packages/domain/src/planted-node.ts',
    "import { createHash } from 'node:crypto';\nexport const hash = createHash;",
  ),
  plant(
    'pure-no-node',
    'contracts using Node, by type',
    'packages/contracts/src/planted-node-type.ts',
    "import type { Readable } from 'node:stream';\nexport type T = Readable;",
  ),
  plant(
    'domain-inward',
    'domain reaching outward',
    'packages/domain/src/planted-outward.ts',
    "import '../../telemetry/src/index.ts';",
  ),
  plant(
    'projections-inward',
    'projections reaching outward',
    'packages/projections/src/planted-outward.ts',
    "import '../../telemetry/src/index.ts';",
  ),
  plant(
    'client-inward',
    'the client reaching outward',
    'packages/client/src/planted-outward.ts',
    "import '../../domain/src/index.ts';",
  ),
  plant(
    'react-inward',
    'react reaching outward',
    'packages/react/src/planted-outward.ts',
    "import '../../domain/src/index.ts';",
  ),
  plant(
    'browser-types-only',
    'the client with the schemas of contracts',
    'packages/client/src/planted-schema.ts',
    "import { problemSchema } from '@attache/contracts';\nexport const schema = problemSchema;",
  ),
  plant('pure-no-node', 'the client using Node', 'packages/client/src/planted-node.ts', "import 'node:buffer';"),
  plant(
    'ports-inward',
    'a port using another port',
    'packages/agent-kit/src/planted-port.ts',
    "import '../../blob-store/src/index.ts';",
  ),
  plant(
    'agent-process-inward',
    'a driver using the blob store',
    'packages/agent-process/src/planted-port.ts',
    "import '../../blob-store/src/index.ts';",
  ),
  plant(
    'event-bus-inward',
    'the bus using the blob store',
    'packages/event-bus/src/planted-port.ts',
    "import '../../blob-store/src/index.ts';",
  ),
  plant(
    'intake-inward',
    'intake using the bus',
    'packages/intake/src/planted-port.ts',
    "import '../../event-bus/src/index.ts';",
  ),
  plant(
    'upkeep-inward',
    'upkeep using the bus',
    'packages/upkeep/src/planted-port.ts',
    "import '../../event-bus/src/index.ts';",
  ),
  plant(
    'api-keys-inward',
    'keys using the secrets of tenants',
    'packages/api-keys/src/planted-port.ts',
    "import '../../secrets/src/seal.ts';",
  ),
  plant(
    'services-not-operator',
    'a public route running an operator command',
    'services/ingest/src/planted-command.ts',
    "import '../../../packages/operator/src/index.ts';",
  ),
  plant(
    'operator-inward',
    'operator commands using the bus',
    'packages/operator/src/planted-port.ts',
    "import '../../event-bus/src/index.ts';",
  ),
  plant(
    'secrets-opened-behind-ingest',
    'ingest opening a secret',
    'services/ingest/src/planted-opening.ts',
    "import '@attache/secrets/open';",
  ),
  plant(
    'secrets-opened-behind-ingest',
    'the same by way of a package that may',
    'services/ingest/src/access/planted-opening-far.ts',
    "import '../../../../packages/operator/src/allowed-opening.ts';",
  ),
  plant(
    'a-service-loads-its-own',
    'the projector loading ingest',
    'apps/hosted/src/compose-projector-planted.ts',
    "import '@attache/ingest';",
  ),
  plant(
    'a-service-loads-its-own',
    'the same by way of what they share',
    'apps/hosted/src/compose-runner-gateway-planted.ts',
    "import './allowed-loading.ts';",
  ),
  plant(
    'packages-not-upward',
    'a package using a service',
    'packages/telemetry/src/planted-upward.ts',
    "import '../../../services/ingest/src/ingest.ts';",
  ),
  plant(
    'no-service-to-service',
    'a service using a service',
    'services/ingest/src/planted-service.ts',
    "import '../../projector/src/projector.ts';",
  ),
  plant(
    'no-service-to-service',
    'the same by type alone',
    'services/projector/src/planted-service-type.ts',
    "import type { stub } from '../../ingest/src/ingest.ts';\nexport type T = typeof stub;",
  ),
  plant(
    'no-service-to-service',
    'the same by dynamic import',
    'services/runner-gateway/src/planted-service-dynamic.ts',
    "export const load = () => import('../../ingest/src/ingest.ts');",
  ),
  plant(
    'services-inward',
    'a service using an app',
    'services/ingest/src/planted-app.ts',
    "import '../../../apps/standalone/src/standalone.ts';",
  ),
  plant(
    'shipped-not-infra',
    'a service starting a server',
    'services/projector/src/planted-infra.ts',
    "import '../../../infra/native/allowed.ts';",
  ),
  plant(
    'packages-not-infra',
    'a test that starts its own server',
    'packages/event-bus/src/planted-infra.int.test.ts',
    "import '../../../infra/native/allowed.ts';",
  ),
  plant(
    'use-cases-not-edge',
    'a use case calling its edge',
    'services/ingest/src/session/planted-edge.ts',
    "import '../http/allowed.ts';",
  ),
  plant(
    'use-cases-not-edge',
    'a file beside the use cases calling their edge',
    'services/ingest/src/planted-edge.ts',
    "import './http/allowed.ts';",
  ),
  plant(
    'concrete-where-composed',
    'a service choosing its blob store',
    'services/ingest/src/planted-concrete.ts',
    "import '@attache/blob-store/file';",
  ),
  plant(
    'concrete-where-composed',
    'a service choosing its database',
    'services/ingest/src/http/planted-concrete.ts',
    "import '@attache/database/pglite';",
  ),
  plant(
    'concrete-where-composed',
    'a service choosing its bus',
    'services/projector/src/planted-concrete.ts',
    "import '@attache/event-bus/outbox';",
  ),
  plant(
    'programs-inward',
    'a program of agents using the database',
    'packages/programs/src/planted-store.ts',
    "import '../../database/src/index.ts';",
  ),
  plant(
    'process-setup-inward',
    'what sets a process up using the blob store',
    'packages/process-setup/src/planted-store.ts',
    "import '../../blob-store/src/index.ts';",
  ),
  plant(
    'concrete-where-composed',
    'a service choosing its driver',
    'services/runner-gateway/src/planted-concrete.ts',
    "import '@attache/programs/drivers';",
  ),
  plant(
    'services-imported-by-apps',
    'another app using a service',
    'apps/example-agent/src/planted-service.ts',
    "import '../../../services/ingest/src/ingest.ts';",
  ),
];

const vendors: PlantedImport[] = [
  plant(
    'pin-database',
    'a database driver in a service',
    'services/ingest/src/planted-driver.ts',
    "import '../../../packages/database/node_modules/drizzle-orm/index.js';",
  ),
  plant(
    'pin-hono',
    'the HTTP framework outside http/',
    'services/ingest/src/planted-hono.ts',
    "import type {} from 'hono';",
  ),
  plant(
    'pin-child-process',
    'a process started by a service',
    'services/runner-gateway/src/planted-spawn.ts',
    "import 'node:child_process';",
  ),
  plant('pin-child-process', 'a process started by the demo', 'apps/cli/src/demo.ts', "import 'node:child_process';"),
  plant(
    'pin-opentelemetry-sdk',
    'the tracing SDK outside its setup',
    'packages/telemetry/src/planted-sdk.ts',
    "import '@opentelemetry/sdk-trace';",
  ),
  plant(
    'pin-pino',
    'the logger outside telemetry',
    'services/projector/src/planted-pino.ts',
    "import '../../../packages/telemetry/node_modules/pino/index.js';",
  ),
  plant(
    'pin-sharp',
    'an image library outside media',
    'services/projector/src/planted-sharp.ts',
    "import '../../../packages/media/node_modules/sharp/index.js';",
  ),
  plant(
    'pin-file-type',
    'a sniffer outside media',
    'services/projector/src/planted-sniffer.ts',
    "import '../../../packages/media/node_modules/jschardet/index.js';",
  ),
  plant(
    'pin-iconv-lite',
    'tables of code pages outside the reader of text',
    'packages/domain/src/plan/planted-code-pages.ts',
    "import '../../node_modules/iconv-lite/index.js';",
  ),
  plant(
    'pin-busboy',
    'the multipart parser outside intake',
    'services/ingest/src/planted-busboy.ts',
    "import '../../../packages/intake/node_modules/busboy/index.js';",
  ),
  plant(
    'pin-acp',
    'the agent protocol outside the programs',
    'services/runner-gateway/src/planted-acp.ts',
    "import '../../../packages/programs/node_modules/@agentclientprotocol/sdk/index.js';",
  ),
  plant(
    'pin-mcp',
    'the protocol of tools outside its server',
    'services/runner-gateway/src/planted-mcp.ts',
    "import type {} from '@modelcontextprotocol/server';",
  ),
  plant(
    'zod-pinned',
    'a shape of a tool in another file than that of the shapes',
    'services/runner-gateway/src/mcp/planted-zod.ts',
    "import { z } from 'zod';\nexport const shape = z;",
  ),
  plant(
    'pin-s3',
    'an S3 client outside its store',
    'packages/blob-store/src/planted-s3.ts',
    "import '../../../node_modules/minio/index.js';",
  ),
  plant(
    'pin-nats',
    'the broker outside its bus',
    'packages/event-bus/src/planted-nats.ts',
    "import '../../../node_modules/@nats-io/jetstream/index.js';",
  ),
  plant(
    'pin-hpke',
    'sealing outside its package',
    'services/ingest/src/planted-hpke.ts',
    "import '../../../packages/secrets/node_modules/@hpke/core/index.js';",
  ),
  plant(
    'pin-commander',
    'the argument parser outside the CLI',
    'apps/standalone/src/planted-commander.ts',
    "import '../../cli/node_modules/commander/index.js';",
  ),
];

export const plantedImports: PlantedImport[] = [...everywhere, ...cycle, ...layers, ...vendors];

export const allowedFiles: AllowedFile[] = [
  // A cycle is reported once, at its first file; this is its other half.
  {
    path: 'packages/media/src/planted-cycle-b.ts',
    text: "import type { a } from './planted-cycle-a.ts';\nexport type B = typeof a;\n",
  },
  {
    path: 'packages/domain/src/allowed.ts',
    text: "import type { stub } from '@attache/contracts';\nexport type T = typeof stub;\n",
  },
  {
    path: 'packages/domain/src/allowed.test.ts',
    text: "import 'vitest';\nimport 'fast-check';\nimport './allowed.ts';\n",
  },
  {
    path: 'packages/blob-store/src/allowed.test.ts',
    text: "import '../contract/blob-store.contract.ts';\nimport './files/blob-store.ts';\n",
  },
  { path: 'packages/event-bus/src/allowed.ts', text: "import '@attache/database';\nimport '@attache/telemetry';\n" },
  { path: 'packages/media/src/allowed.ts', text: "import 'sharp';\nimport 'node:child_process';\n" },
  { path: 'services/ingest/src/config.ts', text: "import 'zod';\n" },
  {
    path: 'services/runner-gateway/src/mcp/tool-inputs.ts',
    text: "import 'zod';\nimport '@modelcontextprotocol/server';\n",
  },
  {
    path: 'services/ingest/src/http/allowed.ts',
    text: "import 'hono';\nimport '@hono/zod-openapi';\nimport '@attache/intake';\n",
  },
  {
    path: 'apps/standalone/src/compose-embedded.ts',
    text: "import '@attache/blob-store/file';\nimport '@attache/ingest';\n",
  },
  {
    path: 'apps/cli/src/start.ts',
    text: "import '@attache/standalone';\nimport 'commander';\n",
  },
  {
    path: 'packages/client/src/allowed-types.ts',
    text: "import type { stub } from '@attache/contracts';\nexport type T = typeof stub;\n",
  },
  { path: 'packages/operator/src/allowed-opening.ts', text: "import '@attache/secrets/open';\n" },
  { path: 'apps/hosted/src/allowed-loading.ts', text: "import '@attache/ingest';\n" },
  { path: 'services/ingest/src/access/allowed-sealing.ts', text: "import '@attache/secrets/seal';\n" },
  { path: 'infra/native/allowed.ts', text: "import 'node:child_process';\n" },
];
