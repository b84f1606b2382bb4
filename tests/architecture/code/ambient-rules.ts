import type { Place, SourceFile, SyntaxNode, SyntaxViolation } from '../source/syntax-tree.ts';
import { isSyntaxNode, readArguments, readMemberName, readString, visitCode } from '../source/syntax-tree.ts';

// Things that are simply there, which an import rule cannot see. R1-R3 (clock, randomness, environment, network), R9, R10.

type Finding = { rule: string; found: string };

const PURE = /^packages\/(contracts|domain|projections)\//;
const BROWSER = /^packages\/(client|react)\//;
const DOMAIN = /^packages\/domain\//;
const CONFIG = /\/config\.ts$/;

const PURE_GLOBALS: Record<string, string[]> = {
  clock: ['performance', 'Temporal', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'scheduler'],
  randomness: ['crypto'],
  environment: [
    'process',
    'globalThis',
    'global',
    'window',
    'self',
    'document',
    'navigator',
    'require',
    '__dirname',
    '__filename',
  ],
  network: ['fetch', 'WebSocket', 'XMLHttpRequest', 'EventSource'],
  node: ['Buffer'],
};
const BROWSER_GLOBALS: Record<string, string[]> = {
  environment: ['process', 'global', 'require', '__dirname', '__filename'],
  node: ['Buffer'],
};
const ENDINGS = ['exit', 'abort', 'reallyExit'];

/** The things that a shipped file takes from its surroundings although its place forbids them. */
export function findAmbientViolations(file: SourceFile): SyntaxViolation[] {
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node, place) => {
    for (const { rule, found } of judge(file.path, node, place)) {
      violations.push({ rule, found, path: file.path, line: file.linesOf(node).first });
    }
  });
  return violations;
}

function judge(path: string, node: SyntaxNode, place: Place): Finding[] {
  return [
    ...judgeEverywhere(path, node, place),
    ...(PURE.test(path) ? judgePure(node, place) : []),
    ...(BROWSER.test(path) ? judgeNames(BROWSER_GLOBALS, node, place) : []),
    ...(DOMAIN.test(path) ? judgeDomain(node, place) : []),
  ];
}

function judgeEverywhere(path: string, node: SyntaxNode, place: Place): Finding[] {
  if (isModuleOf(node, 'process')) return [{ rule: 'environment', found: 'an import of node:process' }];
  if (isModuleOf(node, 'console')) return [{ rule: 'console', found: 'an import of node:console' }];
  if (isMetaEnvironment(node) && !CONFIG.test(path)) return [{ rule: 'environment', found: 'import.meta.env' }];
  if (isReferenceTo('console', node, place) || isGlobalMember('console', node))
    return [{ rule: 'console', found: 'console' }];
  if (isGlobalMember('process', node)) return [{ rule: 'environment', found: 'process as a property' }];
  return isReferenceTo('process', node, place) ? judgeProcess(path, place) : [];
}

function judgeProcess(path: string, place: Place): Finding[] {
  const member = place.key === 'object' ? readMemberName(place.parent) : undefined;
  if (member === undefined) return [{ rule: 'environment', found: 'process without a plain property' }];
  if (ENDINGS.includes(member)) return [{ rule: 'process-exit', found: `process.${member}` }];
  return member === 'env' && !CONFIG.test(path) ? [{ rule: 'environment', found: 'process.env' }] : [];
}

function judgePure(node: SyntaxNode, place: Place): Finding[] {
  if (node.type === 'MetaProperty') return [{ rule: 'environment', found: 'import.meta' }];
  if (isReferenceTo('Date', node, place) && !isTimelessDate(place))
    return [{ rule: 'clock', found: 'Date without a given time' }];
  if (isReferenceTo('Math', node, place) && !isPlainMath(place))
    return [{ rule: 'randomness', found: 'Math.random or Math itself' }];
  return judgeNames(PURE_GLOBALS, node, place);
}

function judgeNames(names: Record<string, string[]>, node: SyntaxNode, place: Place): Finding[] {
  return Object.entries(names).flatMap(([rule, globals]) =>
    globals.filter((name) => isReferenceTo(name, node, place)).map((name) => ({ rule, found: name })),
  );
}

function judgeDomain(node: SyntaxNode, place: Place): Finding[] {
  if (node.async === true) return [{ rule: 'async', found: 'an async function' }];
  if (node.type === 'AwaitExpression') return [{ rule: 'async', found: 'await' }];
  return isReferenceTo('Promise', node, place) ? [{ rule: 'async', found: 'Promise' }] : [];
}

// `new Date(given)`, `Date.parse`, `Date.UTC` and `instanceof Date` read no clock.
function isTimelessDate({ parent, key }: Place): boolean {
  if (parent?.type === 'NewExpression' && key === 'callee') {
    return readArguments(parent).some((argument) => argument.value !== 'undefined');
  }
  if (parent?.type === 'BinaryExpression') return parent.operator === 'instanceof' && key === 'right';
  return key === 'object' && ['parse', 'UTC'].includes(readMemberName(parent) ?? '');
}

function isPlainMath({ parent, key }: Place): boolean {
  const member = key === 'object' ? readMemberName(parent) : undefined;
  return member !== undefined && member !== 'random';
}

// A local of the same name counts too: call it something else.
function isReferenceTo(name: string, node: SyntaxNode, { parent, key }: Place): boolean {
  if (node.type !== 'Identifier' || node.value !== name || parent === undefined) return false;
  const isPropertyName = key === 'key' || (parent.type === 'MemberExpression' && key === 'property');
  return !isPropertyName && key !== 'label' && !/^(Import|Export).*Specifier$/.test(parent.type);
}

function isGlobalMember(name: string, node: SyntaxNode): boolean {
  if (readMemberName(node) !== name || !isSyntaxNode(node.object)) return false;
  return ['globalThis', 'global'].includes(String(node.object.value));
}

function isMetaEnvironment(node: SyntaxNode): boolean {
  return readMemberName(node) === 'env' && isSyntaxNode(node.object) && node.object.type === 'MetaProperty';
}

function isModuleOf(node: SyntaxNode, name: string): boolean {
  const isDynamic = node.type === 'CallExpression' && isSyntaxNode(node.callee) && node.callee.type === 'Import';
  const specifier =
    node.type === 'ImportDeclaration'
      ? readString(node.source)
      : isDynamic
        ? readString(readArguments(node)[0])
        : undefined;
  return specifier === name || specifier === `node:${name}`;
}
