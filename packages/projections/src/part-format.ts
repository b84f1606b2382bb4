import type { ByteReference, Part } from '@attache/contracts';

export type PartType = Part['type'];
export type PartOf<T extends PartType> = Extract<Part, { type: T }>;

/** A format's name and the kinds of part that it has a way in for. */
export type PartFormat<T extends PartType> = { readonly name: string; readonly carries: ReadonlySet<T> };

export function defineFormat<const T extends PartType>(name: string, ...carries: readonly T[]): PartFormat<T> {
  return { name, carries: new Set(carries) };
}

type FilePart = Extract<Part, { bytes: ByteReference }>;

/**
 * Throws for a part that the format has no way in for. The planner lets none come, so this is a bug of ours. What the format
 * says it carries does not fit the parameter: the compiler keeps a converter's switch to its list.
 */
export function refusePart<T extends PartType>(
  format: PartFormat<T>,
  part: FilePart & { type: Exclude<PartType, T> },
): never {
  throw new Error(`${format.name} has no way in for the ${part.type} part of ${part.bytes.attachmentId}`);
}
