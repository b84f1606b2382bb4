import type { Place, SourceFile, SyntaxNode, SyntaxViolation } from '../source/syntax-tree.ts';
import { isSyntaxNode, readArguments, readMemberName, readString, visitCode } from '../source/syntax-tree.ts';

// base64url of ids, tokens and signatures is a spelling of few bytes and no concern here.

/** Calls that take the word `base64` to read such text, or only to speak of it. */
const READERS = ['from', 'byteLength', 'write', 'fill', 'literal', 'includes', 'indexOf', 'startsWith', 'endsWith'];
const PRODUCERS = ['base64Slice', 'readAsDataURL', 'toDataURL'];
const ENCODING_KEYS = ['encoding', 'readableEncoding', 'defaultEncoding', 'outputEncoding'];
/** Without Buffer and streams (the ambient rules see to that) an encoding's name produces nothing. */
const PURE = /^packages\/(contracts|domain|projections)\//;
const SQL_ENCODE = /encode\s*\([^)]*'base64'/i;

/** Every place where a file turns bytes into base64. */
export function findBase64Production(file: SourceFile): SyntaxViolation[] {
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node, place) => {
    const found = judgeCall(node, place) ?? (PURE.test(file.path) ? undefined : judgeWord(node, place));
    if (found) violations.push({ rule: 'base64', path: file.path, line: file.linesOf(node).first, found });
  });
  return violations;
}

function judgeCall(node: SyntaxNode, place: Place): string | undefined {
  if (node.type === 'Identifier' && node.value === 'btoa') return 'btoa';
  const member = readMemberName(node);
  if (member === 'toBase64' && !isUrlAlphabet(place)) return '.toBase64';
  return member !== undefined && PRODUCERS.includes(member) ? `.${member}` : undefined;
}

function judgeWord(node: SyntaxNode, place: Place): string | undefined {
  const sql = node.type === 'TemplateElement' ? node.cooked : node.type === 'StringLiteral' ? node.value : '';
  if (SQL_ENCODE.test(String(sql))) return 'encode(…) in SQL';
  return readString(node)?.toLowerCase() === 'base64' && isProducing(place) ? 'an encoding named base64' : undefined;
}

// The place of the word decides: given to a call, named as an encoding, or kept in a variable for one.
function isProducing({ parent, key }: Place): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression')
    return key === 'arguments' && !isReader(parent);
  if (parent.type === 'KeyValueProperty') return ENCODING_KEYS.includes(readKey(parent));
  return ['VariableDeclarator', 'AssignmentPattern', 'ConditionalExpression', 'AssignmentExpression'].includes(
    parent.type,
  );
}

function isReader(call: SyntaxNode): boolean {
  const name = readMemberName(call.callee) ?? (isSyntaxNode(call.callee) ? String(call.callee.value) : '');
  return READERS.includes(name);
}

function readKey(property: SyntaxNode): string {
  return isSyntaxNode(property.key) ? String(property.key.value) : '';
}

function isUrlAlphabet({ parent }: Place): boolean {
  if (parent?.type !== 'CallExpression') return false;
  const [options] = readArguments(parent);
  const properties =
    options?.type === 'ObjectExpression' && Array.isArray(options.properties) ? options.properties : [];
  return properties.some(
    (property: SyntaxNode) => readKey(property) === 'alphabet' && readString(property.value) === 'base64url',
  );
}
