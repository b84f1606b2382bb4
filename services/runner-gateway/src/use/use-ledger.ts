import {
  addUse,
  createTimeLimit,
  type Database,
  type DayTokens,
  type ModelUse,
  readDayTokens,
  runDurably,
} from '@attache/database';
import type { Logger } from '@attache/telemetry';
import { addCounts, countTokens } from './model-use.ts';

/** How long uses are collected: they are written together, and not in the moment in which their turn is recorded. */
const COLLECT_MS = 200;
/** How old the figure of a tenant may become of which agents ask their models. */
const STALE_MS = 10_000;
/** How long a stop waits for the database. */
const STOP_MS = 5_000;
const DAY_MS = 86_400_000;

/** The use of tenants' agents, written apart from the deliveries, and how much they may still use of a day. */
export type UseLedger = {
  /** Adds the use of a request. */
  note(tenantId: string, use: ModelUse): void;
  /** In how many seconds a tenant's agents may ask a model again, by the newest figure that is known here; undefined: now. */
  findWait(tenantId: string): number | undefined;
  /** Writes the rest. */
  stop(): Promise<void>;
};

type Account = {
  tenantId: string;
  pending: Map<string, ModelUse>;
  /** The tokens that are not written yet. */
  pendingTokens: number;
  tokens: DayTokens | undefined;
  readAtMs: number;
  isReading: boolean;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void> | undefined;
};

type Writing = { db: Database; log: Logger; isWanted: () => boolean };

/** If a write fails, it is logged, and its figures are written with the next ones. */
export function createUseLedger({ db, log }: { db: Database; log: Logger }): UseLedger {
  const accounts = new Map<string, Account>();
  let isWanted = () => true;
  const deps: Writing = { db, log, isWanted: () => isWanted() };

  function accountOf(tenantId: string): Account {
    const account = accounts.get(tenantId) ?? openAccount(tenantId);
    accounts.set(tenantId, account);
    return account;
  }

  return {
    note(tenantId, use) {
      const account = accountOf(tenantId);
      addCounts(account.pending, use);
      account.pendingTokens += countTokens(use);
      account.timer ??= setTimeout(() => void flush(deps, account), COLLECT_MS);
    },
    findWait(tenantId) {
      const account = accountOf(tenantId);
      void refresh(deps, account);
      return findWait(account, Date.now());
    },
    async stop() {
      isWanted = createTimeLimit(STOP_MS);
      for (const account of accounts.values()) await flush(deps, account);
    },
  };
}

/** One write of a tenant at a time, so that each row has one writer here. */
async function flush(deps: Writing, account: Account): Promise<void> {
  await account.writing;
  clearTimeout(account.timer);
  account.timer = undefined;
  if (account.pending.size === 0) return account.writing;
  account.writing = write(deps, account);
  return account.writing;
}

async function write({ db, log, isWanted }: Writing, account: Account): Promise<void> {
  const batch = account.pending;
  account.pending = new Map();
  const work = { uses: [...batch.values()], today: spellDay(Date.now()) };
  try {
    const add = (tx: Parameters<typeof addUse>[0], mark: (id: string) => void) => addUse(tx, work, mark);
    noteTokens(account, await runDurably(db, account.tenantId, add, isWanted));
    for (const use of work.uses) account.pendingTokens -= countTokens(use);
  } catch (error) {
    for (const use of batch.values()) addCounts(account.pending, use);
    log.error({ err: error, uses: batch.size }, 'use.not_written');
  }
}

async function refresh({ db, log }: Pick<Writing, 'db' | 'log'>, account: Account): Promise<void> {
  if (account.isReading || performance.now() - account.readAtMs < STALE_MS) return;
  account.isReading = true;
  try {
    noteTokens(account, await readDayTokens(db, account.tenantId, spellDay(Date.now())));
  } catch (error) {
    log.warn({ err: error }, 'use.not_read');
    account.readAtMs = performance.now();
  } finally {
    account.isReading = false;
  }
}

const openAccount = (tenantId: string): Account => ({
  ...{ tenantId, pending: new Map(), pendingTokens: 0, tokens: undefined, readAtMs: Number.NEGATIVE_INFINITY },
  ...{ isReading: false, timer: undefined, writing: undefined },
});

function noteTokens(account: Account, tokens: DayTokens): void {
  account.tokens = tokens;
  account.readAtMs = performance.now();
}

function findWait({ tokens, pendingTokens }: Account, nowMs: number): number | undefined {
  if (tokens === undefined || tokens.tokensPerDay === null) return undefined;
  const usedTokens = (tokens.day === spellDay(nowMs) ? tokens.usedTokens : 0) + pendingTokens;
  return usedTokens < tokens.tokensPerDay ? undefined : Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);
}

const spellDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
