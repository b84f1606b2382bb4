/** The part of JSON Schema that is read here. */
type Schema = {
  type?: string;
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value belongs to this branch of a union: the constants of its fields decide. */
function fitsBranch(branch: Schema, value: unknown): boolean {
  if (branch.properties === undefined) return true;
  if (!isRecord(value)) return false;
  return Object.entries(branch.properties).every(
    ([name, property]) => property.const === undefined || property.const === value[name],
  );
}

/**
 * Fields of a schema that no example shows: `a.b` where none has the field, `a.b absent` where it is optional and all have it,
 * `a[1]` where a branch of a union has no example.
 */
export function findUnshownFields(schema: Schema, values: readonly unknown[], path = ''): string[] {
  const branches = (schema.anyOf ?? schema.oneOf ?? []).filter((branch) => branch.properties !== undefined);
  const ofBranches = branches.flatMap((branch, index) => {
    const fitting = values.filter((value) => fitsBranch(branch, value));
    return fitting.length === 0 ? [`${path}[${index}]`] : findUnshownFields(branch, fitting, path);
  });
  if (schema.items) return findUnshownFields(schema.items, values.flat(), `${path}[]`);
  const records = values.filter(isRecord);
  const ofProperties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const shown = records.filter((record) => record[name] !== undefined);
    if (shown.length === 0) return [at];
    const isOptional = !schema.required?.includes(name);
    const alwaysThere = isOptional && shown.length === records.length ? [`${at} absent`] : [];
    return [
      ...alwaysThere,
      ...findUnshownFields(
        property,
        shown.map((record) => record[name]),
        at,
      ),
    ];
  });
  return [...ofBranches, ...ofProperties];
}
