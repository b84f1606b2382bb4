import { z } from 'zod';
import { apiSchemas } from './api-schemas.ts';

/** Version of every persisted record and public DTO made by this release (DL-49). Records of an older version, once there is one, are lifted in memory. */
export const SCHEMA_VERSION = 1;

export const schemaVersionSchema = z.int().positive();

export const timeSchema = z.iso
  .datetime()
  .register(apiSchemas, { id: 'Time', description: 'ISO 8601 in UTC with milliseconds.' });
