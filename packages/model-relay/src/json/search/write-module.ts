import { type Code, TYPE_I32, TYPE_V128, unsigned } from './instructions.ts';

const HEAD: Code = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

export type ModuleParts = {
  /** The number of parameters of the one function, all i32. It returns an i32. */
  readonly parameters: number;
  /** The variables that follow the parameters, first those of i32, then those of sixteen bytes each. */
  readonly locals: { readonly i32: number; readonly v128: number };
  readonly code: Code;
  /** The number of pages of 64 KiB each. */
  readonly pages: number;
};

/** Spells a module of WebAssembly with one memory, `memory`, and one function, `search`. */
export function writeModule({ parameters, locals, code, pages }: ModuleParts): Uint8Array<ArrayBuffer> {
  const body = [2, ...unsigned(locals.i32), TYPE_I32, ...unsigned(locals.v128), TYPE_V128, ...code, 0x0b];
  return Uint8Array.from([
    ...HEAD,
    ...section(1, [1, 0x60, parameters, ...Array<number>(parameters).fill(TYPE_I32), 1, TYPE_I32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...unsigned(pages)]),
    ...section(7, [2, ...spell('memory'), 2, 0, ...spell('search'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const spell = (name: string): Code => [name.length, ...Buffer.from(name)];
