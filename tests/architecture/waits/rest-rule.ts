import {
  isSyntaxNode,
  readArguments,
  readString,
  type SourceFile,
  type SyntaxNode,
  type SyntaxViolation,
  visitCode,
} from '../source/syntax-tree.ts';

/** Places in which time passes because it is what happens there. */
export const restingPlaces: readonly { place: RegExp; why: string }[] = [
  { place: /^tests\/(?:faults|faults-hosted|takeover)\//, why: 'moments of kills and outages, and how long they last' },
  { place: /^tests\/e2e\/agents\/idle\.test\.ts$/, why: 'messages meet an agent at each moment of its way out' },
  {
    place: /^tests\/hostile\/requests\/large-messages\.long\.test\.ts$/,
    why: 'memory is looked at every few milliseconds',
  },
  { place: /^tests\/hosted\/request-limits\.long\.test\.ts$/, why: 'so many requests are sent each second' },
  {
    place: /^packages\/blob-store\/src\/s3\/hostile-server\.int\.test\.ts$/,
    why: 'a client and a reader that are slow',
  },
  { place: /^packages\/event-bus\/contract\/event-bus-flow\.contract\.ts$/, why: 'handlers that take a while' },
  { place: /^packages\/event-bus\/src\/jetstream\/consume\.int\.test\.ts$/, why: 'handlers that take a while' },
  { place: /^packages\/agent-process\/src\/driver\.contract\.ts$/, why: 'the program stops reading 100 ms later' },
];

const TEST = /\.(?:test|contract|spec)\.tsx?$/;

/**
 * Every time that a test lets pass. It proves that nothing happens on a quiet machine alone: wait for a later event, which would have come
 * after it.
 */
export function findRests(file: SourceFile): SyntaxViolation[] {
  if (!TEST.test(file.path)) return [];
  const rests = findRestNames(file.tree);
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node) => {
    if (node.type !== 'AwaitExpression' || !isSyntaxNode(node.argument) || !isRest(node.argument, rests)) return;
    violations.push({ rule: 'rest', path: file.path, line: file.linesOf(node).first, found: 'a time that passes' });
  });
  return violations;
}

/** Names of functions whose promise resolves after a time: the one of Node, and what a file makes itself. */
function findRestNames(tree: SyntaxNode): Set<string> {
  const names = new Set<string>();
  visitCode(tree, (node) => {
    if (node.type === 'ImportDeclaration' && readString(node.source) === 'node:timers/promises')
      for (const name of listLocalNames(node)) names.add(name);
    if (node.type === 'VariableDeclarator' && isSyntaxNode(node.id) && isRestMaker(node.init))
      names.add(String(node.id.value));
  });
  return names;
}

/** The local names of `setTimeout` in an import. */
function listLocalNames({ specifiers }: SyntaxNode): string[] {
  const list: unknown[] = Array.isArray(specifiers) ? specifiers : [];
  return list.filter(isSyntaxNode).flatMap(({ local, imported }) => {
    if (!isSyntaxNode(local)) return [];
    const name = isSyntaxNode(imported) ? imported.value : local.value;
    return name === 'setTimeout' ? [String(local.value)] : [];
  });
}

const isRestMaker = (node: unknown): boolean =>
  isSyntaxNode(node) &&
  node.type === 'ArrowFunctionExpression' &&
  isSyntaxNode(node.body) &&
  isRest(node.body, new Set());

function isRest(node: SyntaxNode, names: ReadonlySet<string>): boolean {
  const callee = isSyntaxNode(node.callee) ? String(node.callee.value) : '';
  if (node.type === 'CallExpression') return names.has(callee);
  return node.type === 'NewExpression' && callee === 'Promise' && readArguments(node).some(isTimer);
}

/** `(resolve) => setTimeout(resolve, …)`, with a block or without. */
function isTimer(executor: SyntaxNode): boolean {
  const [first] = Array.isArray(executor.params) ? executor.params : [];
  const parameter = isSyntaxNode(first) && isSyntaxNode(first.pat) ? first.pat : first;
  let isFound = false;
  visitCode(executor, (node) => {
    const isCall = node.type === 'CallExpression' && isSyntaxNode(node.callee) && node.callee.value === 'setTimeout';
    const [called] = isCall ? readArguments(node) : [];
    isFound ||= called?.type === 'Identifier' && isSyntaxNode(parameter) && called.value === parameter.value;
  });
  return isFound;
}
