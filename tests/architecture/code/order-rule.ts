import {
  isSyntaxNode,
  type SourceFile,
  type SyntaxNode,
  type SyntaxViolation,
  visitCode,
} from '../source/syntax-tree.ts';
import { isFunction } from './code-size.ts';

// A function that uses a variable from further down works only as long as nobody calls it too early, which no type shows. Functions by their own
// declaration are there from the beginning, and the constants of a module before anything of it is called: neither is a concern here.

type Named = { name: string; start: number; line: number };
type Span = { start: number; end: number };

/** Every place where a function within another one uses a variable that the outer one declares further down. */
export function findForwardReferences(file: SourceFile): SyntaxViolation[] {
  const functions: Span[] = [];
  const declared = new Map<string, Named & { within: Span }>();
  const used: (Named & { binding: string })[] = [];
  // Parents come first, so the last function that holds a place is the innermost.
  const enclosing = (start: number) => functions.findLast((span) => span.start <= start && start < span.end);
  visitCode(file.tree, (node) => {
    if (isFunction(node)) functions.push(spanOf(node));
    for (const identifier of listDeclared(node)) {
      const { start } = spanOf(identifier);
      const within = enclosing(start);
      if (within)
        declared.set(bindingOf(identifier), {
          name: nameOf(identifier),
          start,
          line: lineOf(file, identifier),
          within,
        });
    }
    if (node.type === 'Identifier' && node.ctxt !== undefined)
      used.push({ binding: bindingOf(node), name: nameOf(node), start: spanOf(node).start, line: lineOf(file, node) });
  });
  return used.flatMap(({ binding, name, start, line }) => {
    const declaration = declared.get(binding);
    if (!declaration || start >= declaration.start || enclosing(start) === declaration.within) return [];
    return [{ rule: 'order', path: file.path, line, found: `${name}, which line ${declaration.line} declares` }];
  });
}

/** The names that a declaration of variables gives. */
function listDeclared(node: SyntaxNode): SyntaxNode[] {
  return node.type === 'VariableDeclarator' ? listNames(node.id) : [];
}

function listNames(pattern: unknown): SyntaxNode[] {
  if (!isSyntaxNode(pattern)) return [];
  const { elements, properties } = pattern;
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ArrayPattern':
      return Array.isArray(elements) ? elements.flatMap(listNames) : [];
    case 'ObjectPattern':
      return Array.isArray(properties) ? properties.flatMap(listNames) : [];
    case 'KeyValuePatternProperty':
      return listNames(pattern.value);
    case 'AssignmentPatternProperty':
      return listNames(pattern.key);
    case 'AssignmentPattern':
      return listNames(pattern.left);
    case 'RestElement':
      return listNames(pattern.argument);
    default:
      return [];
  }
}

/** The parser numbers scopes, so that the same name in another one is another variable. */
const bindingOf = (identifier: SyntaxNode): string => `${identifier.value} ${identifier.ctxt}`;
const nameOf = (identifier: SyntaxNode): string => String(identifier.value);
const spanOf = ({ span = { start: 0, end: 0 } }: SyntaxNode): Span => span;
const lineOf = (file: SourceFile, node: SyntaxNode): number => file.linesOf(node).first;
