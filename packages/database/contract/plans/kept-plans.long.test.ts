import type {} from '@attache/test-servers';
import { describe, inject, onTestFinished } from 'vitest';
import { connectPostgres } from '../../src/connect-postgres.ts';
import { startCluster } from '../__fixtures__/start-cluster.ts';
import { describeKeptPlans } from './kept-plans.contract.ts';

const { programs, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = programs.postgres ? describe : describe.skip;

suite(programs.postgres ? 'plans of a Postgres server' : `plans: ${why}`, () => {
  describeKeptPlans(async () => {
    const cluster = await startCluster(programs.postgres ?? '', { autovacuum: 'off' });
    onTestFinished(() => cluster.stop());
    const db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 1 });
    onTestFinished(() => db.close());
    return db;
  });
});
