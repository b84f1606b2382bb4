import { rm } from 'node:fs/promises';
import { describe, onTestFinished } from 'vitest';
import { connectPglite } from '../../src/connect-pglite.ts';
import { copyPgliteFolder } from '../pglite-folder.contract.ts';
import { describeKeptPlans } from './kept-plans.contract.ts';

describe('plans of an embedded database', () => {
  describeKeptPlans(async () => {
    const folder = await copyPgliteFolder();
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const db = await connectPglite({ folder });
    onTestFinished(() => db.close());
    return db;
  });
});
