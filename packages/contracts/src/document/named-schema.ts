import type { z } from 'zod';

/** A schema that has a name of its own in the API's description. */
export type NamedSchema = {
  schema: z.ZodType;
  description: string;
  /** Each fits the schema. */
  examples?: readonly unknown[];
};

export type NamedSchemas = Readonly<Record<string, NamedSchema>>;
