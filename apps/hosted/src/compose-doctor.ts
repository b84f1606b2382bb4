import { createS3BlobStore } from '@attache/blob-store/s3';
import { checkPostgres } from '@attache/database/postgres';
import { connectJetstream } from '@attache/event-bus/jetstream';
import { createLogger } from '@attache/telemetry';
import type { DatabaseConfig, StoreConfig } from './config.ts';
import { describeSkews } from './warn-of-clock.ts';

/** The diagnosis of one server. If it cannot be used, a fault is thrown that says what to do. */
export type Diagnosis = { state: 'ok' | 'warning'; detail: string; fix?: string };

function judge(detail: string, skewsMs: Readonly<Record<string, number>>, warnings: readonly string[] = []): Diagnosis {
  const fix = [...describeSkews(skewsMs), ...warnings].join(' ');
  return fix === '' ? { state: 'ok', detail } : { state: 'warning', detail, fix };
}

export async function diagnoseDatabase({ url, directUrl }: DatabaseConfig): Promise<Diagnosis> {
  const { version, clockSkewMs, isTransactionPooled } = await checkPostgres({ url, directUrl });
  const pooled = isTransactionPooled ? ', behind a transaction-mode pooler' : '';
  return judge(`Postgres ${Math.floor(version / 10_000)}.${version % 10_000}${pooled}; the schema is the newest`, {
    database: clockSkewMs,
  });
}

export async function diagnoseBus(url: string): Promise<Diagnosis> {
  const log = createLogger({ service: 'attache-doctor', level: 'silent' });
  const link = await connectJetstream({ url, service: 'ingest', log });
  try {
    return { state: 'ok', detail: `NATS ${link.serverVersion} with JetStream` };
  } finally {
    await link.close();
  }
}

export async function diagnoseStore(config: StoreConfig): Promise<Diagnosis> {
  const store = await createS3BlobStore(config);
  try {
    const { clockSkewMs, warnings } = await store.checkServer();
    const detail = `bucket ${config.bucket}: signatures and conditions are honoured`;
    return judge(detail, { 'object store': clockSkewMs }, warnings);
  } finally {
    await store.close();
  }
}
