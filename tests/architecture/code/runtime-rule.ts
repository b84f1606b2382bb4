import { runtimes } from '@attache/contracts';
import {
  isSyntaxNode,
  readMemberName,
  readString,
  type SourceFile,
  type SyntaxNode,
  type SyntaxViolation,
  visitCode,
} from '../source/syntax-tree.ts';

/** Every place where code asks which runtime an agent has, by its name or by a switch. A table of traits asks nothing. */
export function findRuntimeQuestions(file: SourceFile): SyntaxViolation[] {
  const violations: SyntaxViolation[] = [];
  visitCode(file.tree, (node) => {
    const found = readQuestion(node);
    if (found) violations.push({ rule: 'runtime', path: file.path, line: file.linesOf(node).first, found });
  });
  return violations;
}

function readQuestion(node: SyntaxNode): string | undefined {
  const named = runtimes.find((runtime) => runtime === readString(node));
  if (named !== undefined) return `the runtime ${named}`;
  return node.type === 'SwitchStatement' && isRuntime(node.discriminant) ? 'a switch over the runtime' : undefined;
}

function isRuntime(node: unknown): boolean {
  const name = readMemberName(node) ?? (isSyntaxNode(node) && node.type === 'Identifier' ? node.value : undefined);
  return name === 'runtime';
}
