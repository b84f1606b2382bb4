// Who may import whom. tests/architecture runs these rules on the tree and plants one violation of each.

const { Visitor } = require('@swc/core/Visitor.js');

// swc parses `using` and `await using`, but its visitor refuses a whole file for one.
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function visitUsingToo(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  return { ...statement, decls: this.visitVariableDeclarators(statement.decls) };
};

const TEST = ['^tests/', '^bench/', '\\.(test|contract|spec)\\.ts$', '/__fixtures__/'];
// What a run calls before its tests.
const TEST_SET_UP = ['^infra/(test-servers|provide-starts)\\.ts$'];
// The doctor starts agents as a gateway does.
const COMPOSITION = [
  ...['/src/main\\.ts$', '/src/compose[^/]*\\.ts$', '/doctor/run-doctor\\.ts$'],
  '^apps/hosted/src/gateway/guard/main\\.ts$',
];
const HTTP = '^services/[^/]+/src/http/';
const MCP = '^services/runner-gateway/src/mcp/';
const TOOL_INPUTS = `${MCP}tool-inputs\\.ts$`;
const ZOD = 'node_modules/zod/';

/** A rule at error: `from` may not import `to`. Names that resolve to nothing belong to `not-resolvable` alone. */
function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to: { couldNotResolve: false, ...to } };
}

/** A vendor that only the listed places (and tests) may import. */
function pin(vendor, pattern, places) {
  return forbid(
    `pin-${vendor}`,
    `R7: ${vendor} stays where it is wrapped.`,
    { pathNot: [...places, ...TEST] },
    { path: pattern },
  );
}

/** All that the files of one package may import, by resolved path; tests may also import test libraries. */
function confine(name, comment, folder, allowed) {
  return forbid(name, comment, { path: folder, pathNot: TEST }, { pathNot: allowed, dependencyTypesNot: ['core'] });
}

const everywhere = [
  {
    name: 'not-resolvable',
    comment: 'R11: the package is not declared, or the path is not in its exports.',
    severity: 'error',
    // What the bench measures itself beside is a package of its own, installed by whoever wants that.
    from: { pathNot: '^bench/peers/' },
    to: { couldNotResolve: true },
  },
  forbid('no-cycle', 'R11: no cycles, types included.', {}, { circular: true }),
  forbid(
    'declared-packages-only',
    'R11: code that ships imports only what its own package.json lists under dependencies.',
    { path: '^(packages|services|apps)/[^/]+/src/', pathNot: TEST },
    { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
  ),
  forbid(
    'packages-by-name',
    'R11: another package is imported by its name and exports, never by path.',
    { path: '^(packages|services|apps)/([^/]+)/' },
    { path: '^(packages|services|apps)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
  ),
  forbid(
    'packages-by-name-outside',
    'R11: tests, scripts and benchmarks use the exports too.',
    { path: '^(tests|bench|scripts)/' },
    { path: '^(packages|services|apps)/', dependencyTypes: ['local'] },
  ),
  forbid(
    'contract-suites-from-tests',
    'R11: contract suites, tests and their fixtures are imported by tests alone.',
    { pathNot: [...TEST, ...TEST_SET_UP] },
    { path: ['\\.(test|contract|spec)\\.ts$', '/__fixtures__/', '^tests/'] },
  ),
];

const pureLayers = [
  confine('contracts-zod-only', 'R1: contracts know zod and nothing else.', '^packages/contracts/', [
    '^packages/contracts/',
    ZOD,
  ]),
  forbid(
    'zod-pinned',
    'R1: shapes that cross a process stand in contracts; those of tools beside the tools, since a model reads them too.',
    { pathNot: ['^packages/(contracts|agent-kit)/', '/src/config\\.ts$', HTTP, TOOL_INPUTS, ...TEST] },
    { path: ZOD },
  ),
  forbid(
    'pure-no-node',
    'R1-R3, R10: nothing of Node where code must be pure or run in a browser.',
    { path: '^packages/(contracts|domain|projections|client|react)/', pathNot: TEST },
    { dependencyTypes: ['core'] },
  ),
  confine('domain-inward', 'R2: the domain knows contracts alone.', '^packages/domain/', [
    '^packages/(domain|contracts)/',
    'node_modules/iconv-lite/',
  ]),
  confine('projections-inward', 'R3: projections know contracts and domain.', '^packages/projections/', [
    '^packages/(projections|domain|contracts)/',
  ]),
  confine('client-inward', 'R10: the client knows contracts alone.', '^packages/client/', [
    '^packages/(client|contracts)/',
  ]),
  confine('react-inward', 'R10: react knows the client and contracts.', '^packages/react/', [
    '^packages/(react|client|contracts)/',
    'node_modules/react/',
  ]),
  forbid(
    'browser-types-only',
    'R10: what a browser loads holds no schema: contracts give it types alone.',
    { path: '^packages/(client|react)/', pathNot: TEST },
    { path: '^packages/contracts/', dependencyTypesNot: ['type-only'] },
  ),
];

const outerLayers = [
  forbid(
    'ports-inward',
    'R4: ports know contracts, domain, telemetry and their own vendor.',
    {
      path: '^packages/([^/]+)/',
      pathNot:
        '^packages/(contracts|domain|projections|client|react|event-bus|intake|upkeep|api-keys|operator|process-setup|agent-process|programs)/',
    },
    { path: '^packages/', pathNot: '^packages/($1|contracts|domain|telemetry)/' },
  ),
  forbid(
    'agent-process-inward',
    'R4: what drives programs knows none of them.',
    { path: '^packages/agent-process/' },
    { path: '^packages/', pathNot: '^packages/(agent-process|contracts|domain|telemetry)/' },
  ),
  forbid(
    'programs-inward',
    'R4: a program of agents knows the machinery that drives it, and none of the stores.',
    { path: '^packages/programs/' },
    { path: '^packages/', pathNot: '^packages/(programs|agent-process|contracts|domain|telemetry|projections)/' },
  ),
  forbid(
    'process-setup-inward',
    'R4: what a process is set up with knows which programs there are.',
    { path: '^packages/process-setup/' },
    { path: '^packages/', pathNot: '^packages/(process-setup|contracts|domain|telemetry|programs)/' },
  ),
  forbid(
    'event-bus-inward',
    'R4: the relay reads the outbox, so the bus also knows the database.',
    { path: '^packages/event-bus/' },
    { path: '^packages/', pathNot: '^packages/(event-bus|contracts|domain|telemetry|database)/' },
  ),
  forbid(
    'intake-inward',
    'R4: intake stores bytes and records them.',
    { path: '^packages/intake/' },
    { path: '^packages/', pathNot: '^packages/(intake|contracts|domain|telemetry|database|blob-store)/' },
  ),
  forbid(
    'upkeep-inward',
    'R4: upkeep removes what nobody uses, from database and blob store.',
    { path: '^packages/upkeep/' },
    { path: '^packages/', pathNot: '^packages/(upkeep|contracts|domain|telemetry|database|blob-store)/' },
  ),
  forbid(
    'api-keys-inward',
    'R4: keys of a tenant are rows of the database.',
    { path: '^packages/api-keys/' },
    { path: '^packages/', pathNot: '^packages/(api-keys|contracts|domain|telemetry|database)/' },
  ),
  forbid(
    'operator-inward',
    'R4: operator commands work on the database, call upkeep and name rows of the catalog.',
    { path: '^packages/operator/' },
    {
      path: '^packages/',
      pathNot:
        '^packages/((operator|contracts|domain|telemetry|database|blob-store|upkeep|api-keys|process-setup|secrets)/|programs/src/catalog\\.ts$)',
    },
  ),
  {
    name: 'secrets-opened-behind-ingest',
    comment: "R5: what the public can reach seals tenants' secrets and cannot open them, by no way of imports.",
    severity: 'error',
    from: { path: '^services/(ingest|projector)/', pathNot: TEST },
    to: { path: '^packages/secrets/src/open\\.ts$', reachable: true },
  },
  forbid(
    'services-not-operator',
    'R5: what the public can reach runs no command of the operator.',
    { path: '^services/' },
    { path: '^packages/operator/' },
  ),
  {
    name: 'a-service-loads-its-own',
    comment:
      'R5: a process of the hosted stack loads the code of its own service, not that of ingest, by no way of imports.',
    severity: 'error',
    from: { path: '^apps/hosted/src/compose-(projector|runner-gateway)', pathNot: TEST },
    to: { path: '^services/ingest/', reachable: true },
  },
  forbid(
    'packages-not-upward',
    'R4: a package knows no service and no app.',
    { path: '^packages/' },
    { path: '^(services|apps|bench|scripts)/' },
  ),
  forbid(
    'no-service-to-service',
    'R5: services speak through database and bus.',
    { path: '^services/([^/]+)/' },
    { path: '^services/', pathNot: '^services/$1/' },
  ),
  forbid(
    'services-inward',
    'R5: a service knows no app and no code made for agents or browsers.',
    { path: '^services/' },
    { path: '^(apps|bench|scripts|packages/(agent-kit|client|react))/' },
  ),
  forbid(
    'shipped-not-infra',
    'R5: what ships knows nothing of the servers that tests and demos start.',
    { path: '^(packages|services)/', pathNot: TEST },
    { path: '^(infra|tests)/' },
  ),
  forbid(
    'packages-not-infra',
    'R5: tests of packages and services get their servers from the run (tests/servers), and know nothing of who starts them.',
    { path: '^(packages|services)/' },
    { path: '^infra/' },
  ),
  forbid(
    'use-cases-not-edge',
    'R5: a use case knows nothing of HTTP: the edge calls it. The service itself brings both together.',
    { path: '^services/ingest/src/', pathNot: [HTTP, '^services/ingest/src/ingest\\.ts$', ...TEST] },
    { path: '^services/ingest/src/http/' },
  ),
  forbid(
    'concrete-where-composed',
    'R5: which implementation runs is named only where a process is composed.',
    { path: '^(services|apps)/', pathNot: [...COMPOSITION, ...TEST] },
    {
      path: [
        '^packages/blob-store/src/(files|s3)/',
        '^packages/database/src/connect-',
        '^packages/event-bus/src/(outbox|jetstream)/',
        '^packages/programs/src/load-drivers\\.ts$',
        '^packages/programs/src/[^/]+/[^/]+-driver\\.ts$',
      ],
    },
  ),
  forbid(
    'services-imported-by-apps',
    'R6: only standalone, hosted, the CLI and tests start services.',
    { path: '^(apps|bench|scripts)/', pathNot: '^apps/(standalone|hosted|cli)/' },
    { path: '^services/' },
  ),
];

const vendorPins = [
  pin('database', 'node_modules/(@electric-sql/pglite|postgres|pg|drizzle-orm|drizzle-kit)/', ['^packages/database/']),
  pin('hono', 'node_modules/(hono|@hono/[^/]+)/', [HTTP, '^services/runner-gateway/src/agent-socket/', '^examples/']),
  pin('child-process', '^(node:)?(child_process|cluster)$', [
    '^packages/(agent-process|media|programs)/',
    '^infra/',
    '^apps/example-agent/src/spawn-orphan\\.ts$',
    '^apps/hosted/src/gateway/guard/start-guard\\.ts$',
    '^scripts/',
  ]),
  pin('opentelemetry-sdk', 'node_modules/@opentelemetry/(?!api/)', ['^packages/telemetry/src/setup[^/]*\\.ts$']),
  pin('pino', 'node_modules/pino/', ['^packages/telemetry/']),
  pin('sharp', 'node_modules/sharp/', ['^packages/media/', '^apps/example-agent/']),
  pin('file-type', 'node_modules/(file-type|jschardet|@embedpdf/pdfium|libheif-js)/', ['^packages/media/']),
  pin('iconv-lite', 'node_modules/iconv-lite/', ['^packages/domain/src/file-type/text/']),
  pin('busboy', 'node_modules/(busboy|@fastify/busboy)/', ['^packages/intake/']),
  pin('acp', 'node_modules/@agentclientprotocol/', ['^packages/programs/src/acp/', '^apps/example-agent/']),
  pin('mcp', 'node_modules/@modelcontextprotocol/', [MCP]),
  pin('s3', 'node_modules/(minio|@aws-sdk/[^/]+)/', ['^packages/blob-store/(src/s3|contract)/']),
  pin('nats', 'node_modules/@nats-io/', ['^packages/event-bus/(src/jetstream|contract)/']),
  pin('hpke', 'node_modules/@hpke/', ['^packages/secrets/']),
  pin('commander', 'node_modules/commander/', ['^apps/cli/']),
];

module.exports = {
  forbidden: [...everywhere, ...pureLayers, ...outerLayers, ...vendorPins],
  options: {
    // TypeScript 7 has no parser for dependency-cruiser; without swc it sees no module at all.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
