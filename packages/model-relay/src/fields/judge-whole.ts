import type { SaidValue } from './field-rules.ts';
import { type FieldLevel, type FieldScan, refuseField } from './field-scan.ts';

/** Whether the value that is read is one by which its object is judged as a whole. */
export const isNoted = ({ rule, isArray, key }: FieldLevel): boolean =>
  !isArray && rule.kind === 'fields' && rule.whole?.keys.has(key) === true;

export function noteValue(level: FieldLevel, value: SaidValue['value']): void {
  if (!isNoted(level)) return;
  level.said ??= [];
  level.said.push({ key: level.key, value });
}

/** Judges an object that ends, before it is left. */
export function judgeWhole(scan: FieldScan, level: FieldLevel): void {
  if (level.said === undefined || level.rule.kind !== 'fields') return;
  const refused = level.rule.whole?.judge(level.said);
  if (refused !== undefined) refuseField(scan, 'relay_field_refused', refused);
}
