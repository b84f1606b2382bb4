import { randomUUID } from 'node:crypto';
import { callOperatorSocket, operatorSocketPath } from '@attache/operator';
import { type Api, createApi } from './api.ts';

/** A tenant of its own on a running embedded stack: what it asks uses up no rate of another one. */
export async function openTenant({ url, dataDir }: { url: string; dataDir: string }): Promise<Api> {
  const path = operatorSocketPath(dataDir);
  const input = { name: `own-${randomUUID()}` };
  const answer = await callOperatorSocket({ path, name: 'tenant.create', input });
  if (!answer) throw new Error('the stack does not listen for its operator');
  return createApi(url, answer.output.secret);
}
