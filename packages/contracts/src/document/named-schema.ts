import type { z } from 'zod';

/** A schema that stands in the API's description under a name of its own. */
export type NamedSchema = {
  schema: z.ZodType;
  description: string;
  /** Each fits the schema. */
  examples?: readonly unknown[];
};

export type NamedSchemas = Readonly<Record<string, NamedSchema>>;
