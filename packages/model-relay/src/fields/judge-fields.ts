import { createFieldScan, type JudgedEndpoint, type RefusedField } from './field-scan.ts';
import { fieldsOf } from './list-fields.ts';
import { scanFields } from './scan-fields.ts';

export type FieldJudge = {
  /** Returns what is refused as soon as that is known. The chunk has to be read as JSON before. */
  write(chunk: Buffer): RefusedField | undefined;
};

/**
 * Judges the fields of a body while it streams through: a request holds what it says, and nothing that its provider would have to get
 * elsewhere. Keeps the names of the place where it reads.
 */
export function judgeFields(endpoint: JudgedEndpoint): FieldJudge {
  const scan = createFieldScan(endpoint, fieldsOf[endpoint.api]);
  return { write: (chunk) => scanFields(scan, chunk) };
}
