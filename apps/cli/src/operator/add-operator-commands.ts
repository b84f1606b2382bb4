import { type Command, InvalidArgumentError } from 'commander';
import { addCapabilityCommands } from './add-capability-commands.ts';
import { addGatewayCommands } from './add-gateway-commands.ts';
import { forPrograms, type Options, type Page, paged, parseCount, run } from './operator-command.ts';

const parseLimit = (text: string): number | 'none' => (text === 'none' ? 'none' : parseCount(text));
const toLimit = (given: number | 'none' | undefined) => (given === 'none' ? null : given);
const parseList = (text: string): string[] => text.split(',').map((item) => item.trim());

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, or how long ago that was. Returns it in ISO 8601. */
export function parseSince(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a time as 2026-11-22T09:00:00Z, or as 90m, 2h or 7d.');
  return new Date(time).toISOString();
}

type Replay = Options & { all?: boolean; subject?: string; since?: string };

type Overlap = Options & { overlapSeconds?: number };

const overlapping = (command: Command): Command =>
  forPrograms(command).option('--overlap-seconds <seconds>', 'how long the old one still works; an hour', parseCount);

type Limits = Options & {
  maxUploadBytes?: number | 'none';
  quotaBytes?: number | 'none';
  tokensPerDay?: number | 'none';
  maxLiveAgents?: number | 'none';
};

function addTenantCommands(program: Command): void {
  const tenant = program.command('tenant').description('make tenants, change their limits, suspend them');
  forPrograms(tenant.command('create').argument('<name>'))
    .description('make a tenant with a key for everything')
    .option('--trusted-trace', 'traces of the key may be parents of ours')
    .action((name: string, { trustedTrace, ...options }: Options & { trustedTrace?: boolean }) =>
      run('tenant.create', { name, trustedTrace }, options),
    );
  paged(tenant.command('list'))
    .description('list the tenants')
    .action(({ limit, cursor, ...options }: Page) => run('tenant.list', { limit, cursor }, options));
  forPrograms(tenant.command('set').argument('<name>'))
    .description('change limits of a tenant')
    .option('--max-upload-bytes <bytes>', 'largest upload; `none` for the default', parseLimit)
    .option('--quota-bytes <bytes>', 'all its bytes together; `none` for no limit', parseLimit)
    .option(
      '--tokens-per-day <count>',
      'what its agents may ask of models on a day in UTC, input and output together; `none` for no limit',
      parseLimit,
    )
    .option(
      '--max-live-agents <count>',
      'how many of its agents may run at the same time, on all gateways together; `none` for no limit',
      parseLimit,
    )
    .action((name: string, { maxUploadBytes, quotaBytes, tokensPerDay, maxLiveAgents, ...options }: Limits) => {
      const bytes = { maxUploadBytes: toLimit(maxUploadBytes), quotaBytes: toLimit(quotaBytes) };
      const counts = { tokensPerDay: toLimit(tokensPerDay), maxLiveAgents: toLimit(maxLiveAgents) };
      return run('tenant.set', { name, ...bytes, ...counts }, options);
    });
  forPrograms(tenant.command('revoke').argument('<name>'))
    .description('suspend a tenant: every credential of it is refused')
    .action((name: string, options: Options) => run('tenant.revoke', { name }, options));
  forPrograms(tenant.command('restore').argument('<name>'))
    .description('end the suspension')
    .action((name: string, options: Options) => run('tenant.restore', { name }, options));
  forPrograms(tenant.command('end-urls').argument('<name>'))
    .description('end every signed URL of a tenant that was given so far')
    .action((name: string, options: Options) => run('tenant.endUrls', { name }, options));
  overlapping(tenant.command('rotate').argument('<name>'))
    .description('replace every usable key of a tenant')
    .action((name: string, { overlapSeconds, ...options }: Overlap) =>
      run('tenant.rotate', { name, overlapSeconds }, options),
    );
}

type NewKey = Options & { scopes: string[]; expiresAt?: string; trustedTrace?: boolean };

function addKeyCommands(program: Command): void {
  const key = program.command('key').description('make, rotate and revoke API keys of a tenant');
  forPrograms(key.command('create').argument('<tenant>').argument('<name>'))
    .description('make a key')
    .requiredOption('--scopes <list>', 'of admin, sessions, attachments, read; separated by commas', parseList)
    .option('--expires-at <time>', 'ISO 8601 in UTC, e.g. 2030-01-31T00:00:00Z')
    .option('--trusted-trace', 'its traces may be parents of ours')
    .action((tenant: string, name: string, { json, ...request }: NewKey) =>
      run('key.create', { tenant, name, ...request }, { json: json === true }),
    );
  paged(key.command('list').argument('<tenant>'))
    .description('list the keys of a tenant, also those that ended')
    .action((tenant: string, { limit, cursor, ...options }: Page) =>
      run('key.list', { tenant, limit, cursor }, options),
    );
  overlapping(key.command('rotate').argument('<tenant>').argument('<key id>'))
    .description('replace a key')
    .action((tenant: string, keyId: string, { overlapSeconds, ...options }: Overlap) =>
      run('key.rotate', { tenant, keyId, overlapSeconds }, options),
    );
  forPrograms(key.command('revoke').argument('<tenant>').argument('<key id>'))
    .description('end a key at once')
    .action((tenant: string, keyId: string, options: Options) => run('key.revoke', { tenant, keyId }, options));
  key
    .command('generate')
    .description('print a fresh key for ATTACHE_INIT_API_KEY; no stack knows it yet')
    .action(async () => {
      const { createApiKeySecret } = await import('@attache/api-keys/api-key-secret');
      process.stdout.write(`${createApiKeySecret().apiKey}\n`);
    });
}

function addDeadCommands(program: Command): void {
  const dead = program.command('dead').description('bus messages that failed for good');
  paged(dead.command('list'))
    .description('list the dead letters, newest first')
    .option('--tenant <name>', 'of one tenant')
    .action(({ tenant, limit, cursor, ...options }: Page & { tenant?: string }) =>
      run('dead.list', { tenant, limit, cursor }, options),
    );
  const replay = forPrograms(dead.command('replay').argument('[tenant id]').argument('[id]').argument('[consumer]'))
    .description('have a dead letter handled again; its three names are columns of the list')
    .option('--all', 'all that were not replayed')
    .option('--subject <subject>', 'with --all: those under this subject')
    .option('--since <time>', 'with --all: those since a time, as 2026-11-22T09:00:00Z, 90m, 2h or 7d', parseSince)
    .action((tenantId, id, consumer, { all, subject, since, ...options }: Replay) => {
      const names = [tenantId, id, consumer].filter((name) => name !== undefined);
      if (all && names.length === 0) return run('dead.replayAll', { subject, since }, options);
      const isOne = !all && names.length === 3 && subject === undefined && since === undefined;
      if (isOne) return run('dead.replay', { tenantId, id, consumer }, options);
      return replay.error('error: name a dead letter by its three names, or say --all');
    });
}

function addSecretCommands(program: Command): void {
  const secret = program.command('secret').description('the keys that seal the secrets of tenants');
  forPrograms(secret.command('rewrap'))
    .description('seal every secret to the newest key; if it is interrupted, run it again')
    .action((options: Options) => run('secret.rewrap', {}, options));
  secret
    .command('generate-key')
    .description('print a fresh pair: its private half for the gateway, its public half for ingest')
    .action(async () => {
      const { generateKey } = await import('@attache/secrets/generate-key');
      const { privateKey, publicKey } = generateKey();
      process.stdout.write(`ATTACHE_SECRET_KEYS=${privateKey}\nATTACHE_SECRET_PUBLIC_KEY=${publicKey}\n`);
    });
}

/** `attache tenant`, `key`, `secret`, `capability`, `dead`, `gateway`, `session` and `gc`. Their code is loaded when one is called. */
export function addOperatorCommands(program: Command): void {
  addTenantCommands(program);
  addKeyCommands(program);
  addSecretCommands(program);
  addCapabilityCommands(program);
  addDeadCommands(program);
  addGatewayCommands(program);
  forPrograms(program.command('gc'))
    .description('collect bytes that nothing refers to any more')
    .option('--dry-run', 'only count')
    .action(({ dryRun, ...options }: Options & { dryRun?: boolean }) =>
      run('gc.run', { isDryRun: dryRun === true }, options),
    );
}
