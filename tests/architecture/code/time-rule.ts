import {
  isSyntaxNode,
  readArguments,
  readMemberName,
  type SourceFile,
  type SyntaxNode,
  type SyntaxViolation,
  visitCode,
} from '../source/syntax-tree.ts';

const WAITS = new Set(['vi.waitFor', 'vi.waitUntil', 'expect.poll']);
/** How long a busy machine may take for a step. */
const LEAST_WAIT_MS = 30_000;
const CLOCKS = new Set(['Date.now', 'performance.now']);
const UPPER_BOUNDS = new Set(['toBeLessThan', 'toBeLessThanOrEqual', 'toBeCloseTo']);

/** Tests that measure time because their title promises one. */
export const measuringTests: readonly { path: string; why: string }[] = [
  { path: 'tests/faults/stop.test.ts', why: 'a stack stops within the time that its supervisor gives it' },
  { path: 'tests/hostile/requests/slow-senders.contract.ts', why: 'a slow client is ended when its time is over' },
];

/** Every wait of `vi` that rests on the default of one second, and every wait whose limit a busy machine may miss. */
export function findUnlimitedWaits(file: SourceFile): SyntaxViolation[] {
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node) => {
    const name = readCallee(node);
    if (name === undefined || !WAITS.has(name)) return;
    const options = readArguments(node)[1];
    // The default of `expect.poll` is long enough: the configuration says it.
    const isUnlimited = name !== 'expect.poll' && !hasLimit(options);
    if (!isUnlimited && !isShort(options)) return;
    const found = `${name} ${isUnlimited ? 'without a timeout' : `with less than ${LEAST_WAIT_MS} ms`}`;
    violations.push({ rule: 'wait', path: file.path, line: file.linesOf(node).first, found });
  });
  return violations;
}

/** Every `expect` that bounds how long something took: a busy machine fails it. */
export function findMeasuredTime(file: SourceFile): SyntaxViolation[] {
  const names = findTimeNames(file);
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node) => {
    const matcher = node.type === 'CallExpression' ? readMemberName(node.callee) : undefined;
    if (matcher === undefined || !UPPER_BOUNDS.has(matcher)) return;
    const [subject] = readArguments(findExpect(node) ?? node);
    if (!subject || !some(subject, (part) => isElapsed(part, names) || isNamed(part, names.elapsed))) return;
    violations.push({ rule: 'time', path: file.path, line: file.linesOf(node).first, found: `${matcher} on a time` });
  });
  return violations;
}

function hasLimit(options: SyntaxNode | undefined): boolean {
  if (options?.type !== 'ObjectExpression') return options !== undefined;
  return some(options, (part) => part.type === 'SpreadElement' || readKey(part) === 'timeout');
}

const isShort = (options: SyntaxNode | undefined): boolean =>
  options !== undefined && some(options, (part) => readKey(part) === 'timeout' && isBelowLeast(part.value));

const isBelowLeast = (value: unknown): boolean =>
  isSyntaxNode(value) && value.type === 'NumericLiteral' && Number(value.value) < LEAST_WAIT_MS;

/** `object.property` of a call's callee. */
function readCallee(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression' || !isSyntaxNode(node.callee)) return undefined;
  const { object } = node.callee;
  return isSyntaxNode(object) ? `${object.value}.${readMemberName(node.callee)}` : undefined;
}

/** The call of `expect` that a matcher hangs on. */
function findExpect(matcher: SyntaxNode): SyntaxNode | undefined {
  let node: unknown = matcher.callee;
  while (isSyntaxNode(node)) {
    if (node.type === 'CallExpression' && isSyntaxNode(node.callee) && node.callee.value === 'expect') return node;
    node = node.type === 'MemberExpression' ? node.object : node.callee;
  }
  return undefined;
}

type TimeNames = { moments: Set<string>; elapsed: Set<string> };

/** Names of variables and properties that hold a moment, and of those that hold what passed since one. */
function findTimeNames({ tree }: SourceFile): TimeNames {
  const names: TimeNames = { moments: new Set(), elapsed: new Set() };
  visitCode(tree, (node) => {
    const name = readKey(node);
    const value = node.init ?? node.value;
    if (name === undefined || !isSyntaxNode(value)) return;
    if (isClock(value)) names.moments.add(name);
    else if (isElapsed(value, names)) names.elapsed.add(name);
  });
  return names;
}

/** The name to which a declaration or a property of an object gives a value. */
function readKey(node: SyntaxNode): string | undefined {
  const target = node.type === 'VariableDeclarator' ? node.id : node.type === 'KeyValueProperty' ? node.key : undefined;
  return isSyntaxNode(target) && target.type === 'Identifier' ? String(target.value) : undefined;
}

const isClock = (node: SyntaxNode): boolean => CLOCKS.has(readCallee(node) ?? '');

/** `now - before`; what is left until a moment, `then - now`, is none. */
function isElapsed(node: SyntaxNode, { moments }: TimeNames): boolean {
  if (node.type !== 'BinaryExpression' || node.operator !== '-' || !isSyntaxNode(node.left)) return false;
  return isClock(node.left) || isNamed(node.left, moments);
}

function isNamed(node: SyntaxNode, names: ReadonlySet<string>): boolean {
  const name = node.type === 'Identifier' ? String(node.value) : readMemberName(node);
  return name !== undefined && names.has(name);
}

function some(node: SyntaxNode, matches: (part: SyntaxNode) => boolean): boolean {
  let isFound = false;
  visitCode(node, (part) => {
    isFound ||= matches(part);
  });
  return isFound;
}
