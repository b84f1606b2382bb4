import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deniedCalls } from '@attache/agent-process/sandbox/denied-calls';
import { readGatewayConfig, readIngestConfig, readMigrateConfig, readProjectorConfig } from '@attache/hosted/config';
import { gatewaySettings, ingestSettings, migrateSettings, projectorSettings } from '@attache/hosted/settings';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { composeSecrets } from '../../../infra/compose-secrets.ts';
import { composeNatsConfig, passwordVariables } from '../../../infra/nats/compose-nats-config.ts';
import { repositoryRoot } from '../source/source-files.ts';
import { type ComposeService, listVariables, readComposeFile, resolveEnvironment } from './compose-file.ts';
import { flattenStage, lastOf, readEnvironmentOf, readStages } from './dockerfile.ts';

// The compose file, read but not run.

const file = readComposeFile();
const text = readFileSync(join(repositoryRoot, 'docker-compose.yml'), 'utf8');
const services = Object.entries(file.services).map(([name, service]) => ({ name, service }));
const ours = ['ingest', 'projector', 'runner-gateway', 'migrate', 'operator'];
/** They end by themselves. */
const once = ['migrate', 'minio-keys', 'operator'];
const runs = promisify(execFile);
const [AF_ALG, AF_VSOCK] = [38, 40];
const SECCOMP_PROFILE = 'infra/sandbox/container-seccomp.json';
const SANDBOX_OPTIONS = [`seccomp:${SECCOMP_PROFILE}`, 'apparmor:unconfined', 'systempaths=unconfined'];
/** Calls that agents may not make: bubblewrap makes these for them before they begin. */
const CALLS_OF_BUBBLEWRAP = ['mount', 'pivot_root', 'umount2'];

const imageOf = ({ build }: ComposeService) =>
  build && flattenStage(readStages(build.dockerfile ?? 'Dockerfile'), build.target ?? '').instructions;

it('the container of the gateway may do what its agents may, and what bubblewrap does for them [BX-22]', () => {
  const { defaultAction, syscalls } = JSON.parse(readFileSync(join(repositoryRoot, SECCOMP_PROFILE), 'utf8'));
  const [denied, ...families] = syscalls;
  expect({ defaultAction, action: denied.action }).toEqual({
    defaultAction: 'SCMP_ACT_ALLOW',
    action: 'SCMP_ACT_ERRNO',
  });
  expect([...denied.names, ...CALLS_OF_BUBBLEWRAP].toSorted()).toEqual(Object.keys(deniedCalls).toSorted());
  expect(families.map(({ args }: { args: { value: number }[] }) => args[0]?.value)).toEqual([AF_ALG, AF_VSOCK]);
});

describe.each(services)('the service $name', ({ name, service }) => {
  it('has an image of one exact version; one that is built has a target that exists', () => {
    expect(service.image).toMatch(/^[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9.]+)*$/);
    if (service.build) expect(imageOf(service)?.length).toBeGreaterThan(0);
  });

  it('has a health check, or nothing that could wait for one', () => {
    const image = imageOf(service);
    const hasCheck = service.healthcheck?.test !== undefined || (image && lastOf(image, 'HEALTHCHECK') !== undefined);
    const isAwaited = services.some(({ service: other }) => other.depends_on?.[name]?.condition === 'service_healthy');
    expect(hasCheck || ['otel-collector', 'jaeger'].includes(name)).toBe(true);
    expect(hasCheck || !isAwaited).toBe(true);
  });

  it('gains no privileges, and has bounds', () => {
    const forSandboxes = name === 'runner-gateway' ? SANDBOX_OPTIONS : [];
    expect(service.security_opt).toEqual(['no-new-privileges:true', ...forSandboxes]);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.restart).toBe(once.includes(name) ? 'no' : 'unless-stopped');
    expect(Object.keys(service.deploy?.resources?.limits ?? {}).toSorted()).toEqual(['cpus', 'memory', 'pids']);
    if (name !== 'postgres') expect(service.read_only).toBe(true);
  });

  it('publishes ports on the loopback address alone, and only where people come in', () => {
    const ports = service.ports ?? [];
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(ports.length > 0).toBe(name === 'ingest' || name === 'jaeger');
  });

  it('names only networks, volumes, secrets, files and services that exist', () => {
    for (const network of service.networks ?? []) expect(Object.keys(file.networks)).toContain(network);
    for (const secret of service.secrets ?? []) expect(Object.keys(file.secrets ?? {})).toContain(secret);
    for (const dependency of Object.keys(service.depends_on ?? {})) expect(file.services).toHaveProperty(dependency);
    for (const mount of service.volumes ?? []) {
      const [source = ''] = mount.split(':');
      // One of the container alone.
      if (source.startsWith('/') && source === mount) continue;
      if (source.startsWith('.')) expect(existsSync(join(repositoryRoot, source)), source).toBe(true);
      else expect(Object.keys(file.volumes)).toContain(source);
    }
  });
});

describe('the networks', () => {
  const isInternal = (network: string) => file.networks[network]?.internal === true;

  it.each(['postgres', 'nats', 'minio'])('%s can be reached by the services alone', (name) => {
    expect(file.services[name]?.networks).toEqual(['backend']);
    expect(isInternal('backend')).toBe(true);
  });

  it("the outside is open to ingest, to Jaeger's page, and to what agents call", () => {
    const open = services.filter(({ service }) => service.networks?.some((network) => !isInternal(network)));
    expect(open.map(({ name }) => name).toSorted()).toEqual(['ingest', 'jaeger', 'runner-gateway']);
  });
});

describe('the settings', () => {
  const known = { ...ingestSettings, ...projectorSettings, ...gatewaySettings, ...migrateSettings };
  const secrets = composeSecrets();
  const environmentOf = (name: string): Record<string, string> => {
    const service = file.services[name] ?? {};
    return { PATH: '', ...readEnvironmentOf(imageOf(service) ?? []), ...resolveEnvironment(service, secrets) };
  };

  it('all exist', () => {
    const names = services.flatMap(({ service }) => Object.keys(service.environment ?? {}));
    const variables = listVariables(text).map(({ name }) => name);
    const unknown = [...names, ...variables].filter((name) => name.startsWith('ATTACHE_') && !(name in known));
    expect(unknown).toEqual([]);
  });

  it.each([
    ['ingest', readIngestConfig],
    ['projector', readProjectorConfig],
    ['runner-gateway', readGatewayConfig],
    ['migrate', readMigrateConfig],
  ] as const)('%s starts with fresh secrets, and has nothing to warn of', (name, readConfig) => {
    expect(readConfig(environmentOf(name)).warnings).toEqual([]);
  });

  it('none that is secret has a default, and the rest of the file holds no secret', () => {
    const mayBeEmpty = ['ATTACHE_INIT_API_KEY', 'ATTACHE_SECRET_KEYS', 'ATTACHE_SECRET_PUBLIC_KEY'];
    const secret = listVariables(text).filter(
      ({ name }) => /PASSWORD|SECRET|KEY/.test(name) && !mayBeEmpty.includes(name),
    );
    expect(secret.length).toBeGreaterThan(0);
    expect(secret.filter(({ isRequired }) => !isRequired)).toEqual([]);
    const values = services.flatMap(({ service }) => Object.entries(service.environment ?? {}));
    const plain = values.filter(([name, value]) => /PASSWORD|SECRET|KEY/.test(name) && !String(value).startsWith('${'));
    expect(plain).toEqual([]);
    expect(text).not.toMatch(/:\/\/[^:@\s]+:(?!\$\{)[^@\s]+@/);
  });

  it('those that are required are all written by make-secrets, each time again', () => {
    const required = listVariables(text).filter(({ isRequired }) => isRequired);
    expect(required.filter(({ name }) => !secrets[name])).toEqual([]);
    const again = composeSecrets();
    const same = Object.keys(secrets).filter((name) => secrets[name] === again[name]);
    expect(same).toEqual(['ATTACHE_INIT_TENANT']);
  });

  it('each service logs in as itself', () => {
    const users = ours.map((name) => {
      const { ATTACHE_DATABASE_URL = '', ATTACHE_NATS_URL } = environmentOf(name);
      return [new URL(ATTACHE_DATABASE_URL).username, ATTACHE_NATS_URL && new URL(ATTACHE_NATS_URL).username];
    });
    expect(users).toEqual([
      ['attache_ingest', 'ingest'],
      ['attache_projector', 'projector'],
      ['attache_gateway', 'runner-gateway'],
      ['attache_migrator', undefined],
      ['attache_operator', undefined],
    ]);
  });
});

describe('the S3 server', () => {
  it('is used by each service with a key of its own; its first key is for what makes bucket and keys', () => {
    const keyOf = (name: string) => file.services[name]?.environment?.ATTACHE_S3_ACCESS_KEY;
    const named = ours.map((name) => /^\$\{(\w+)_ACCESS_KEY:\?/.exec(String(keyOf(name)))?.[1]);
    expect(named).toEqual(['MINIO_INGEST', 'MINIO_PROJECTOR', 'MINIO_GATEWAY', 'ATTACHE_S3', 'MINIO_OPERATOR']);
    const made = Object.keys(file.services['minio-keys']?.environment ?? {});
    for (const name of named.filter((each) => each !== 'ATTACHE_S3'))
      expect(made).toEqual(expect.arrayContaining([`${name}_ACCESS_KEY`, `${name}_SECRET_KEY`]));
    for (const name of ['ingest', 'projector', 'runner-gateway'])
      expect(file.services[name]?.depends_on?.['minio-keys']?.condition).toBe('service_completed_successfully');
  });
});

describe('the NATS server', () => {
  it('is configured as write-config.ts writes it, a user for each service with only its subjects', () => {
    expect(readFileSync(join(repositoryRoot, 'infra/nats/nats.conf'), 'utf8')).toBe(composeNatsConfig());
  });

  it('gets the password of every user', () => {
    const environment = Object.keys(file.services.nats?.environment ?? {});
    expect(environment.toSorted()).toEqual(Object.values(passwordVariables).toSorted());
  });
});

describe('the compose file', () => {
  it('says that it was not run', () => {
    expect(text).toMatch(/^# Checked for validity by .+; not run where it was written\./m);
  });

  it('configures a collector whose pipelines have only parts that are there', () => {
    const collector = parse(readFileSync(join(repositoryRoot, 'infra/otel/collector.yaml'), 'utf8'));
    const pipelines: Record<string, string[]>[] = Object.values(collector.service.pipelines);
    expect(pipelines.length).toBeGreaterThan(0);
    for (const pipeline of pipelines) {
      for (const [kind, parts] of Object.entries(pipeline)) expect(Object.keys(collector[kind])).toEqual(parts);
    }
    const [host = ''] = collector.exporters.otlp_grpc.endpoint.split(':');
    expect(file.services).toHaveProperty(host);
  });
});

const hasPlugin = await runs('docker', ['compose', 'version']).then(
  () => true,
  () => false,
);

// If there is no plugin, this is not tested: the rest of this file still holds.
if (hasPlugin) {
  describe('docker compose', () => {
    it('takes the file', async () => {
      const env = { ...composeSecrets(), PATH: process.env.PATH ?? '', HOME: dirname(repositoryRoot) };
      const { stdout } = await runs('docker', ['compose', 'config', '--services'], { cwd: repositoryRoot, env });
      expect(stdout.trim().split('\n').toSorted()).toEqual(Object.keys(file.services).toSorted());
    });
  });
}
