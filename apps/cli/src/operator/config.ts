import { resolve } from 'node:path';
import { Fault } from '@attache/contracts';
import { secretKeysSetting } from '@attache/hosted/secret-settings';
import {
  asOptional,
  databaseSettings,
  dataDirSetting,
  type Environment,
  readSettings,
  storeSettings,
} from '@attache/process-setup';
import type { OpeningKey } from '@attache/secrets/key-text';

/** The settings of an operator's command: of the hosted stack if a database is named, else of the data folder. */
const settings = {
  ATTACHE_DATA_DIR: dataDirSetting,
  ...asOptional(databaseSettings),
  ATTACHE_SECRET_KEYS: secretKeysSetting,
  ...asOptional(storeSettings),
} as const;

export type OperatorStore = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  publicEndpoint: undefined;
};

/** `store` only if all of it is set. */
export type OperatorConfig =
  | {
      kind: 'hosted';
      databaseUrl: string;
      store: OperatorStore | undefined;
      secretKeys: readonly OpeningKey[] | undefined;
    }
  | { kind: 'embedded'; dataDir: string };

type Values = ReturnType<typeof readSettings<typeof settings>>;

function readStore(values: Values): OperatorStore | undefined {
  const { ATTACHE_S3_ENDPOINT: endpoint, ATTACHE_S3_BUCKET: bucket } = values;
  const { ATTACHE_S3_ACCESS_KEY: accessKey, ATTACHE_S3_SECRET_KEY: secretKey } = values;
  const given = [endpoint, bucket, accessKey, secretKey];
  if (given.every((value) => value === undefined)) return undefined;
  if (!endpoint || !bucket || !accessKey || !secretKey) {
    const sentence =
      'ATTACHE_S3_ENDPOINT, ATTACHE_S3_BUCKET, ATTACHE_S3_ACCESS_KEY and ATTACHE_S3_SECRET_KEY go together: set all of them.';
    throw new Fault('CONFIGURATION_INVALID', sentence);
  }
  const region = values.ATTACHE_S3_REGION ?? 'us-east-1';
  return { endpoint, bucket, region, accessKey, secretKey, publicEndpoint: undefined };
}

/** Reads which stack the operator's commands act on. */
export function readOperatorConfig(environment: Environment = process.env): OperatorConfig {
  const values = readSettings(settings, environment);
  const { ATTACHE_DATABASE_URL: url, ATTACHE_DATABASE_DIRECT_URL: directUrl } = values;
  const secretKeys = values.ATTACHE_SECRET_KEYS;
  if (url !== undefined) return { kind: 'hosted', databaseUrl: directUrl ?? url, store: readStore(values), secretKeys };
  return { kind: 'embedded', dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache') };
}

/** Whether text may be coloured: on a terminal, unless `NO_COLOR` is set. */
export function isColorWanted(isTerminal: boolean, environment: Environment = process.env): boolean {
  return isTerminal && !environment.NO_COLOR;
}
