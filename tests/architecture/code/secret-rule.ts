import {
  isSyntaxNode,
  readArguments,
  readMemberName,
  type SourceFile,
  type SyntaxNode,
  type SyntaxViolation,
  visitCode,
} from '../source/syntax-tree.ts';

// A comparison that ends at the first difference reveals by its time how much of a guess was right. So whatever proves who somebody is, or that
// something is ours, is compared by `timingSafeEqual`. Digests of content (sha256, ETag, fingerprint) prove nothing of the kind and are no concern.

const SECRET_WORDS = new Set(['mac', 'hmac', 'signature', 'secret', 'password', 'credential', 'token']);
/** A value with such a name is followed into what it is assigned to: only things that must be compared in constant time are made from it. */
const MADE_WORDS = new Set(['mac', 'hmac', 'signature']);
const KEY_WORDS = new Set(['api', 'signing']);
/** The last word of a name such as `macOf` and `secretHash`: it is a secret in every form. */
const FORM_WORDS = new Set(['of', 'hash', 'digest', 'bytes', 'hex', 'text', 'value']);
const EQUALITIES = new Set(['===', '!==', '==', '!=']);
const COMPARING_METHODS = new Set(['equals', 'compare', 'localeCompare']);
const COMPARING_FUNCTIONS = new Set(['eq', 'ne', 'is', 'compare']);
/** The result of such a call is as secret as its arguments. */
const CONVERSIONS = new Set(['from', 'hash', 'String']);
const SIZES = new Set(['length', 'byteLength', 'size']);
const WRAPPERS = ['expression', 'argument'];

/** Every place where a MAC, a secret or the hash of one is compared by anything but `timingSafeEqual`. */
export function findSecretComparisons(file: SourceFile): SyntaxViolation[] {
  const violations: SyntaxViolation[] = [];
  const given = listGivenNames(file.tree);
  visitCode(file.tree, (node) => {
    const operands = readCompared(node);
    if (operands.some(isLiteral)) return;
    const name = operands.flatMap(readNames).find((each) => given.has(each) || isSecretName(each));
    if (name === undefined) return;
    violations.push({ rule: 'secret', path: file.path, line: file.linesOf(node).first, found: `${name} compared` });
  });
  return violations;
}

/** The names, whatever they are, of constants that hold a MAC, and of functions that return one. */
function listGivenNames(tree: SyntaxNode): Set<string> {
  const givers: { name: string; values: SyntaxNode[] }[] = [];
  visitCode(tree, (node) => {
    const { id, init, identifier, body } = node;
    const [named, value] = node.type === 'VariableDeclarator' ? [id, init] : [identifier, body];
    if (!isSyntaxNode(named) || named.type !== 'Identifier' || !isSyntaxNode(value)) return;
    givers.push({ name: String(named.value), values: listResults(value) });
  });
  const names = new Set<string>();
  const isGiven = (name: string) => names.has(name) || MADE_WORDS.has(readLastWord(name).word);
  // One name may pass on the value of another, so this repeats until no name is added.
  for (let before = -1; before < names.size; ) {
    before = names.size;
    for (const { name, values } of givers) if (values.flatMap(readNames).some(isGiven)) names.add(name);
  }
  return names;
}

/** The values of an expression; for a function, the values that it returns. */
function listResults(value: SyntaxNode): SyntaxNode[] {
  const body = value.type === 'ArrowFunctionExpression' && isSyntaxNode(value.body) ? value.body : value;
  if (!/^(?:BlockStatement|FunctionBody)$/.test(body.type)) return [body];
  const results: SyntaxNode[] = [];
  visitCode(body, ({ type, argument }) => {
    if (type === 'ReturnStatement' && isSyntaxNode(argument)) results.push(argument);
  });
  return results;
}

/** The nodes that a node compares with each other; none if it compares nothing. */
function readCompared(node: SyntaxNode): SyntaxNode[] {
  if (node.type === 'BinaryExpression' && EQUALITIES.has(String(node.operator)))
    return [node.left, node.right].filter(isSyntaxNode);
  if (node.type !== 'CallExpression' || !isSyntaxNode(node.callee)) return [];
  const given = readArguments(node);
  const name = readCalled(node.callee);
  if (given.length === 1 && COMPARING_METHODS.has(name) && isSyntaxNode(node.callee.object))
    return [node.callee.object, ...given];
  return given.length === 2 && COMPARING_FUNCTIONS.has(name) ? given : [];
}

/** `undefined` and the like, and literals in the code: none of them is a secret. */
function isLiteral(node: SyntaxNode): boolean {
  if (node.type === 'TemplateLiteral') return Array.isArray(node.expressions) && node.expressions.length === 0;
  return /Literal$/.test(node.type) || (node.type === 'Identifier' && node.value === 'undefined');
}

/** The names that say what a value is. Of `row.secretHash` that is the last one, of `computeMac(key).toString('hex')` all in the chain. */
function readNames(node: SyntaxNode): string[] {
  if (node.type === 'Identifier') return [String(node.value)];
  if (node.type === 'MemberExpression') {
    const name = readMemberName(node) ?? '';
    return SIZES.has(name) ? [] : [name];
  }
  if (node.type === 'CallExpression' && isSyntaxNode(node.callee)) {
    const { callee } = node;
    const object = isSyntaxNode(callee.object) ? readNames(callee.object) : [];
    const converted = CONVERSIONS.has(readCalled(callee)) ? readArguments(node).flatMap(readNames) : [];
    return [readCalled(callee), ...object, ...converted];
  }
  if (node.type === 'TemplateLiteral' && Array.isArray(node.expressions))
    return node.expressions.filter(isSyntaxNode).flatMap(readNames);
  return WRAPPERS.flatMap((key) => (isSyntaxNode(node[key]) ? readNames(node[key]) : []));
}

function readCalled(callee: SyntaxNode): string {
  return readMemberName(callee) ?? String(callee.value ?? '');
}

function isSecretName(name: string): boolean {
  const { word, before } = readLastWord(name);
  return SECRET_WORDS.has(word) || (word === 'key' && KEY_WORDS.has(before));
}

/** The word that says what a name is of, in whichever form, and the one before it. */
function readLastWord(name: string): { word: string; before: string } {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
  const last = words.findLastIndex((word) => !FORM_WORDS.has(word));
  return { word: words[last] ?? '', before: words[last - 1] ?? '' };
}
