import { isSyntaxNode, type SourceFile, type SyntaxNode, visitCode } from '../source/syntax-tree.ts';

/** How long one function or file is. */
export type Size = { name: string; lineCount: number };

/** Sorted lengths: the middle one, the one that 90 % do not exceed, the longest. */
export type SizeFigures = { count: number; median: number; p90: number; longest: Size[] };

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
]);

export const isFunction = ({ type }: SyntaxNode): boolean => FUNCTIONS.has(type);

/** Lengths of the functions of more than one line; one-liners would only flatter the figures. */
export function measureFunctions(file: SourceFile): Size[] {
  const sizes: Size[] = [];
  visitCode(file.tree, (node) => {
    if (!isFunction(node)) return;
    const { first, last } = file.linesOf(node);
    const name = isSyntaxNode(node.identifier) ? ` ${node.identifier.value}` : '';
    if (last > first) sizes.push({ name: `${file.path}:${first}${name}`, lineCount: last - first + 1 });
  });
  return sizes;
}

/** Sums up sizes; zero if there are none. */
export function summariseSizes(sizes: Size[]): SizeFigures {
  const sorted = sizes.toSorted((a, b) => a.lineCount - b.lineCount);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]?.lineCount ?? 0;
  return { count: sorted.length, median: at(0.5), p90: at(0.9), longest: sorted.slice(-5).reverse() };
}
