import type { SourceFile, SyntaxNode, SyntaxViolation } from '../source/syntax-tree.ts';
import { isSyntaxNode, readMemberName, visitCode } from '../source/syntax-tree.ts';

// Rules of a service that an import rule cannot see: it speaks HTTP only at its edges, and never calls anybody over it.

const SERVICE = /^services\//;
/** The folders in which a service speaks HTTP: the API, and the requests of an agent's program. */
const EDGES = /^services\/(?:ingest\/src\/http|runner-gateway\/src\/(?:agent-socket|granted|mcp))\//;
const STATUS_NAMES = new Set(['status', 'statusCode']);
const COMPARISONS = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>=']);

/** Statuses of HTTP and calls of `fetch` in a service, outside of the code that speaks HTTP. */
export function findServiceViolations(file: SourceFile): SyntaxViolation[] {
  if (!SERVICE.test(file.path)) return [];
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node) => {
    const found = judgeFetch(node) ?? (EDGES.test(file.path) ? undefined : judgeStatus(node));
    if (found === undefined) return;
    violations.push({ rule: 'service', found, path: file.path, line: file.linesOf(node).first });
  });
  return violations;
}

function judgeFetch(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression' || !isSyntaxNode(node.callee)) return undefined;
  const isGlobal = node.callee.type === 'Identifier' && node.callee.value === 'fetch';
  return isGlobal || readMemberName(node.callee) === 'fetch' ? 'fetch' : undefined;
}

// `{ status: 404 }` and `answer.status === 404`.
function judgeStatus(node: SyntaxNode): string | undefined {
  if (node.type === 'KeyValueProperty' && isSyntaxNode(node.key)) {
    const isStatus = STATUS_NAMES.has(String(node.key.value)) && isStatusNumber(node.value);
    return isStatus ? 'a status as a number' : undefined;
  }
  if (node.type !== 'BinaryExpression' || !COMPARISONS.has(String(node.operator))) return undefined;
  const sides = [node.left, node.right];
  const isCompared = sides.some(isStatusNumber) && sides.some((side) => STATUS_NAMES.has(readMemberName(side) ?? ''));
  return isCompared ? 'a status as a number' : undefined;
}

function isStatusNumber(node: unknown): boolean {
  if (!isSyntaxNode(node) || node.type !== 'NumericLiteral') return false;
  return Number(node.value) >= 100 && Number(node.value) < 600;
}
