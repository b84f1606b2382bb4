import { acpRows } from './acp-rows.ts';
import { apiRows } from './api-rows.ts';
import type { Catalog } from './catalog-row.ts';
import { modelRows } from './model-rows.ts';
import { runtimeRows } from './transport-rows.ts';

/** The catalog of this release. */
export const catalog: Catalog = {
  version: '2026-11-22',
  transports: [...runtimeRows, ...acpRows, ...apiRows],
  models: modelRows,
};
