import { apiRows, type Catalog, modelRows } from '@attache/domain';
import { programs } from './programs.ts';

/** The catalog of this release. */
export const catalog: Catalog = {
  version: '2026-11-23',
  transports: [...programs.flatMap(({ rows }) => rows), ...apiRows],
  models: modelRows,
};
