import { z } from 'zod';

/** The name of a schema in the description of the API, what it is, and examples that fit it. */
type NamedSchema = { id: string; description: string; examples?: unknown[] };

/**
 * Every schema that has a name in the description of the API; all others are described where they are used. A registry of its own: a schema that is described
 * for something else, such as the arguments of a tool, has none of it.
 */
export const apiSchemas = z.registry<NamedSchema>();
