type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  minimum?: number;
  anyOf?: Schema[];
};

/** The plainest value that fits a JSON schema, for a CLI that parses what it asked for. */
export function sampleSchema(given: unknown): unknown {
  const schema = given as Schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return sampleSchema(schema.anyOf[0]);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  // Google writes types in capitals.
  switch (type?.toLowerCase()) {
    case 'object': {
      const properties = Object.entries(schema.properties ?? {});
      return Object.fromEntries(properties.map(([name, property]) => [name, sampleSchema(property)]));
    }
    case 'array':
      return [];
    // Gemini CLI asks for a score from 1, and for a share by which it may stop: neither may be surprising.
    case 'integer':
      return schema.minimum ?? 1;
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    default:
      return 'ok';
  }
}
