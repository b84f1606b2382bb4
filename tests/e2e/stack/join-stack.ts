import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { OperatorCommand, OperatorInput, OperatorOutput } from '@attache/contracts';
import { connectPostgres } from '@attache/database/postgres';
import { callOperatorSocket, operatorSocketPath, runOperatorCommand } from '@attache/operator';
import { parseOpeningKeys } from '@attache/secrets/key-text';
import { createLogger } from '@attache/telemetry';
import { type Api, createApi } from '@attache/test-harness';
import type { Stack, StackFacts, StackOptions } from './stack-under-test.ts';

const silent = createLogger({ service: 'operator', level: 'silent' });

/** Runs a command as the operator of a running stack. */
async function operateStack<C extends OperatorCommand>(
  { operator }: Pick<StackFacts, 'operator'>,
  name: C,
  input: OperatorInput<C>,
): Promise<OperatorOutput<C>> {
  if ('dataDir' in operator) {
    const answer = await callOperatorSocket({ path: operatorSocketPath(operator.dataDir), name, input });
    if (!answer) throw new Error('the stack does not listen for its operator');
    return answer.output;
  }
  const db = await connectPostgres({ url: operator.databaseUrl, poolSize: 2 });
  try {
    const deps = { db, secretKeys: parseOpeningKeys(operator.secretKeys), log: silent };
    return await runOperatorCommand(deps, name, input);
  } finally {
    await db.close();
  }
}

/** Makes tenants of its own on a running stack; `readFacts` says where that is at the time of each request. */
export async function joinStack(
  facts: StackFacts,
  { tenants = [] }: StackOptions,
  readFacts: () => StackFacts = () => facts,
): Promise<Omit<Stack, 'stop'>> {
  const suffix = randomBytes(4).toString('hex');
  const nameOf = (tenant: string) => `${tenant}-${suffix}`;
  const secrets = new Map<string, string>();
  for (const tenant of ['first', ...tenants]) {
    const { secret } = await operateStack(facts, 'tenant.create', { name: nameOf(tenant), trustedTrace: true });
    secrets.set(tenant, secret);
  }
  const apis = new Map<string, Api>();
  const apiOf = (tenant: string): Api => {
    const secret = secrets.get(tenant);
    if (secret === undefined) throw new Error(`the stack was opened without the tenant ${tenant}`);
    const known = apis.get(tenant);
    const api = known?.url === readFacts().url ? known : createApi(readFacts().url, secret);
    apis.set(tenant, api);
    return api;
  };
  return {
    get api() {
      return apiOf('first');
    },
    opsUrl: facts.opsUrl,
    apiOf,
    nameOf,
    operate: (name, input) => operateStack(readFacts(), name, input),
    agentFolder: (agentId) => findAgentFolder(facts, agentId),
  };
}

/** In the folder of the gateway that has it; of the first one if none has it yet. */
function findAgentFolder({ agentsFolders }: StackFacts, agentId: string): string {
  const folders = agentsFolders.map((folder) => join(folder, agentId));
  return folders.find((folder) => existsSync(folder)) ?? folders[0] ?? '';
}
