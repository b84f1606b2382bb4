import {
  isSyntaxNode,
  readArguments,
  readMemberName,
  readString,
  type SourceFile,
  type SyntaxNode,
  visitCode,
} from '../source/syntax-tree.ts';

/** A table: its name in the code and in SQL. */
export type Table = { constant: string; sqlName: string };

const SQL_WRITE = /\b(?:insert\s+into|update|delete\s+from)\s+"?([a-z_]+)/gi;

/** The tables that schema files declare with `pgTable`. */
export function listTables(schemaFiles: SourceFile[]): Table[] {
  const tables: Table[] = [];
  for (const file of schemaFiles) {
    visitCode(file.tree, (node) => {
      if (node.type !== 'VariableDeclarator' || !isSyntaxNode(node.id)) return;
      const sqlName = isSyntaxNode(node.init) ? readTableName(node.init) : undefined;
      if (sqlName !== undefined) tables.push({ constant: String(node.id.value), sqlName });
    });
  }
  return tables;
}

/** SQL names of the tables a file inserts into, updates or deletes from, sorted, each once. */
export function findWrittenTables(file: SourceFile, tables: Table[]): string[] {
  const written = new Set<string>();
  visitCode(file.tree, (node) => {
    const constant = readQueryTarget(node);
    for (const { constant: known, sqlName } of tables) if (known === constant) written.add(sqlName);
    for (const name of readSqlTargets(node)) if (tables.some(({ sqlName }) => sqlName === name)) written.add(name);
  });
  return [...written].sort();
}

/** The same by SQL alone, for modules that have no table as a value. */
export function findTablesWrittenByText(file: SourceFile, tables: Table[]): string[] {
  const written: string[] = [];
  visitCode(file.tree, (node) => void written.push(...readSqlTargets(node)));
  return pickKnown(written, tables);
}

/** The same of a script of SQL. */
export function findTablesWrittenBySql(script: string, tables: Table[]): string[] {
  return pickKnown(listSqlTargets(script.replaceAll(/--.*/g, '')), tables);
}

function pickKnown(written: readonly string[], tables: Table[]): string[] {
  return tables
    .map(({ sqlName }) => sqlName)
    .filter((name) => written.includes(name))
    .sort();
}

// `pgTable('name', …)`, also with calls chained behind it.
function readTableName(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression' || !isSyntaxNode(node.callee)) return undefined;
  if (node.callee.value === 'pgTable') return readString(readArguments(node)[0]);
  return isSyntaxNode(node.callee.object) ? readTableName(node.callee.object) : undefined;
}

function readQueryTarget(node: SyntaxNode): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  if (!['insert', 'update', 'delete'].includes(readMemberName(node.callee) ?? '')) return undefined;
  const [target] = readArguments(node);
  return target?.type === 'Identifier' ? String(target.value) : undefined;
}

function readSqlTargets(node: SyntaxNode): string[] {
  const text =
    node.type === 'TemplateElement' ? String(node.cooked) : node.type === 'StringLiteral' ? String(node.value) : '';
  return listSqlTargets(text);
}

function listSqlTargets(sql: string): string[] {
  return [...sql.matchAll(SQL_WRITE)].map((match) => (match[1] ?? '').toLowerCase());
}
