import { z } from 'zod';

/** Version of every persisted record and public DTO made by this release (DL-49). Records of an older version, once there is one, are lifted in memory. */
export const SCHEMA_VERSION = 1;

export const schemaVersionSchema = z.int().positive();

/** ISO 8601 in UTC with milliseconds. */
export const timeSchema = z.iso.datetime();
