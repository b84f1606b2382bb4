import { describeProfilesFile } from '@attache/contracts';
import { gatewaySettings, ingestSettings, migrateSettings, projectorSettings } from '@attache/hosted/settings';
import { describeSettings } from '@attache/process-setup';
import { standaloneSettings } from '@attache/standalone/config';
import { composeAgentDocs } from './agent-docs.ts';
import { composeAgentTests } from './agent-test-files.ts';
import { composeCapabilityDocs } from './capability-docs.ts';
import { composeErrorDocs } from './error-docs.ts';
import { composeEventDocs } from './event-docs.ts';
import { type GeneratedDoc, NOTE } from './generated-doc.ts';
import { composeRightsDocs } from './rights-docs.ts';

/** Every document that is made from the code, as it should be. */
export function composeDocs(): GeneratedDoc[] {
  return [
    { path: 'docs/configuration.md', text: describeConfiguration() },
    ...composeAgentDocs(),
    ...composeAgentTests(),
    ...composeCapabilityDocs(),
    ...composeErrorDocs(),
    ...composeEventDocs(),
    ...composeRightsDocs(),
    { path: 'docs/profiles.schema.json', text: `${JSON.stringify(describeProfilesFile(), null, 2)}\n` },
  ];
}

function describeConfiguration(): string {
  return `# Configuration

${NOTE}

The environment is the only source. A start with faulty settings names all faults at once and ends with exit code 2; an unknown
\`ATTACHE_*\` name is warned about, with the nearest known one.

## The embedded stack

${describeSettings(standaloneSettings)}

A relative path counts from the working folder. What a profiles file may hold is in [agents.md](agents.md#profiles).

## The hosted stack

Each service reads its own table; every secret is also read from the file that \`<name>_FILE\` names. One environment file may serve all of them: a name
that belongs to another service is no misspelling. How to run it is in [hosted.md](hosted.md).

### ingest

${describeSettings(ingestSettings)}

### projector

${describeSettings(projectorSettings)}

### runner-gateway

${describeSettings(gatewaySettings)}

### attache migrate

${describeSettings(migrateSettings)}

## Traces

The standard variables of OpenTelemetry are read. With \`OTEL_EXPORTER_OTLP_ENDPOINT\` or \`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT\` the spans are
sent by OTLP over HTTP; without them nothing is sent, and answers and records still name their trace.

## Environment of a child process

Of its gateway's environment an agent's process inherits \`PATH\`, \`LANG\` and \`TZ\` and nothing else. Beside these it is given:

| variables | for |
|---|---|
| \`HOME\`, \`TMPDIR\` | folders of its own |
| those of its profile: \`env\`, \`secretEnv\` | what the operator gives it |
| those of its program, such as \`CLAUDE_CONFIG_DIR\` or \`CODEX_HOME\`, and those by which it gets its \`endpoint\` | its settings, its model API and the key for it |
| \`ATTACHE_AGENT_SOCKET\`, \`ATTACHE_AGENT_TOKEN\` | [its attachments](agents.md#rights-of-tools) |
| \`ATTACHE_CHILD_OF\` | finding what is left of it once its gateway is gone; it names that gateway and gives no access |
`;
}
