import {
  isSyntaxNode,
  readArguments,
  readMemberName,
  type SourceFile,
  type SyntaxNode,
  type SyntaxViolation,
  visitCode,
} from '../source/syntax-tree.ts';

// A comparison that ends at the first difference tells by its time how much of a guess was right. So whatever proves who somebody is, or that
// something is ours, is compared by `timingSafeEqual`. Digests of content (sha256, ETag, fingerprint) prove nothing of the kind and are no concern.

const SECRET_WORDS = new Set(['mac', 'hmac', 'signature', 'secret', 'password', 'credential', 'token']);
const KEY_WORDS = new Set(['api', 'signing']);
/** Of a name such as `macOf` and `secretHash`: in whichever form it is, it is still one. */
const FORM_WORDS = new Set(['of', 'hash', 'digest', 'bytes', 'hex', 'text', 'value']);
const EQUALITIES = new Set(['===', '!==', '==', '!=']);
const COMPARING_METHODS = new Set(['equals', 'compare', 'localeCompare']);
const COMPARING_FUNCTIONS = new Set(['eq', 'ne', 'is', 'compare']);
/** What they return is as secret as what they are given. */
const CONVERSIONS = new Set(['from', 'hash', 'String']);
const SIZES = new Set(['length', 'byteLength', 'size']);
const WRAPPERS = ['expression', 'argument'];

/** Every place where a MAC, a secret or the hash of one is compared by anything but `timingSafeEqual`. */
export function findSecretComparisons(file: SourceFile): SyntaxViolation[] {
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node) => {
    const operands = readCompared(node);
    if (operands.some(isLiteral)) return;
    const name = operands.flatMap(readNames).find(isSecretName);
    if (name === undefined) return;
    violations.push({ rule: 'secret', path: file.path, line: file.linesOf(node).first, found: `${name} compared` });
  });
  return violations;
}

/** What a node compares with each other; nothing where it compares nothing. */
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

/** `undefined` and the like, and words that stand in the code: none of them is a secret. */
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
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _]/);
  const last = words.findLastIndex((word) => !FORM_WORDS.has(word));
  const word = words[last] ?? '';
  return SECRET_WORDS.has(word) || (word === 'key' && KEY_WORDS.has(words[last - 1] ?? ''));
}
