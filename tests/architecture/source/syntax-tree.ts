import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** A node of the parser's tree; children stand under keys that depend on the type. A few kinds (properties) have no span. */
export type SyntaxNode = { type: string; span?: { start: number; end: number }; [key: string]: unknown };

/** The place of a node. `key` is the parent's property that leads to it. */
export type Place = { parent: SyntaxNode | undefined; key: string };

export type SourceFile = {
  /** Relative to the repository, with forward slashes. */
  path: string;
  tree: SyntaxNode;
  lineCount: number;
  /** The 1-based lines a node begins and ends on. */
  linesOf: (node: SyntaxNode) => { first: number; last: number };
};

/** Something the code does that a rule forbids. */
export type SyntaxViolation = { rule: string; path: string; line: number; found: string };

// Wrappers that hold an expression; every other node of the type language says nothing about running code.
const EXPRESSION_WRAPPERS = new Set([
  'TsAsExpression',
  'TsConstAssertion',
  'TsNonNullExpression',
  'TsSatisfiesExpression',
  'TsTypeAssertion',
  'TsInstantiation',
  'TsExportAssignment',
  'TsParameterProperty',
]);

/** Reads and parses one file below `root`. */
export function readSourceFile(root: string, path: string): SourceFile {
  return parseSource(path, readFileSync(join(root, path), 'utf8'));
}

/** Parses TypeScript (or TSX, by the name). Throws if the text is not TypeScript. */
export function parseSource(path: string, text: string): SourceFile {
  const tree = parseSync(text, {
    syntax: 'typescript',
    tsx: path.endsWith('x'),
    target: 'es2024',
  }) as unknown as SyntaxNode;
  const lineStarts = findLineStarts(Buffer.from(text));
  const lineAt = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  return {
    path,
    tree,
    lineCount: text.endsWith('\n') ? lineStarts.length - 1 : lineStarts.length,
    // Spans count bytes from 1; the end is the byte after the node.
    linesOf: ({ span = { start: 1, end: 2 } }) => ({ first: lineAt(span.start - 1), last: lineAt(span.end - 2) }),
  };
}

/** Visits every node of running code below and including `node`, parents first. */
export function visitCode(node: SyntaxNode, visit: (node: SyntaxNode, place: Place) => void): void {
  descend(node, { parent: undefined, key: '' }, visit);
}

function descend(node: SyntaxNode, place: Place, visit: (node: SyntaxNode, place: Place) => void): void {
  if (node.type.startsWith('Ts') && !EXPRESSION_WRAPPERS.has(node.type)) return;
  visit(node, place);
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) descendInto(child, node, key, visit);
  }
}

function descendInto(
  value: unknown,
  parent: SyntaxNode,
  key: string,
  visit: (node: SyntaxNode, place: Place) => void,
): void {
  if (isSyntaxNode(value)) descend(value, { parent, key }, visit);
  // Arguments stand in plain holders, { spread, expression }, and so do methods, { params, body }.
  else if (isRecord(value) && isSyntaxNode(value.expression)) descend(value.expression, { parent, key }, visit);
  else if (isRecord(value) && isSyntaxNode(value.body)) {
    for (const child of Array.isArray(value.params) ? value.params : []) descendInto(child, parent, 'params', visit);
    descend(value.body, { parent, key: 'body' }, visit);
  }
}

/** Whether a value found in the tree is a node. */
export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return isRecord(value) && typeof value.type === 'string';
}

/** The text of a string literal or of a template without holes; undefined for anything else. */
export function readString(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined;
  if (node.type === 'StringLiteral') return String(node.value);
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis) || node.quasis.length !== 1) return undefined;
  return String(node.quasis[0].cooked);
}

/** The name after the dot (or in brackets, if it is a literal) of a member expression; undefined for anything else. */
export function readMemberName(node: unknown): string | undefined {
  if (!isSyntaxNode(node) || node.type !== 'MemberExpression' || !isSyntaxNode(node.property)) return undefined;
  if (node.property.type === 'Computed') return readString(node.property.expression);
  return String(node.property.value);
}

/** The expressions a call or `new` passes, spreads included. */
export function readArguments(node: SyntaxNode): SyntaxNode[] {
  if (!Array.isArray(node.arguments)) return [];
  return node.arguments
    .map((argument: unknown) => (isRecord(argument) ? argument.expression : undefined))
    .filter(isSyntaxNode);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function findLineStarts(bytes: Uint8Array): number[] {
  const starts = [0];
  for (const [index, byte] of bytes.entries()) if (byte === 10) starts.push(index + 1);
  return starts;
}

/** The modules that a module imports or exports again, by the names that it writes. */
export function listImports(file: SourceFile): string[] {
  const names: string[] = [];
  visitCode(file.tree, (node) => {
    if (!/^(?:Import|ExportNamed|ExportAll)Declaration$/.test(node.type)) return;
    const name = readString(node.source);
    if (name !== undefined) names.push(name);
  });
  return names;
}
