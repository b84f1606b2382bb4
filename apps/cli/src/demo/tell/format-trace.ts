import type { FinishedSpan } from '@attache/telemetry/setup';

const shownAttributes = ['att.id', 'att.kind', 'delivery.status', 'delivery.outcome', 'http.response.status_code'];

function describeSpan(span: FinishedSpan, startMs: number): string {
  const facts = shownAttributes.flatMap((name) =>
    span.attributes[name] === undefined ? [] : [String(span.attributes[name])],
  );
  const links = span.links.length === 0 ? [] : [`links ${span.links.length}`];
  const when = `+${Math.round(span.startMs - startMs)} ms, ${span.durationMs.toFixed(1)} ms`;
  return [span.name, `(${[when, ...facts, ...links].join(', ')})`, ...(span.isError ? ['failed'] : [])].join(' ');
}

/** A trace as a tree of lines, with its number of roots: one connected tree has one. */
export function formatTrace(spans: readonly FinishedSpan[]): { lines: string[]; roots: number } {
  const ids = new Set(spans.map((span) => span.spanId));
  const sorted = [...spans].sort((a, b) => a.startMs - b.startMs);
  const isRoot = (span: FinishedSpan) => span.parentSpanId === undefined || !ids.has(span.parentSpanId);
  const startMs = sorted[0]?.startMs ?? 0;
  const lines: string[] = [];
  const walk = (span: FinishedSpan, indent: string) => {
    const children = sorted.filter((child) => child.parentSpanId === span.spanId);
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1;
      lines.push(`${indent}${isLast ? '└─' : '├─'} ${describeSpan(child, startMs)}`);
      walk(child, `${indent}${isLast ? '   ' : '│  '}`);
    }
  };
  const roots = sorted.filter(isRoot);
  for (const root of roots) {
    lines.push(describeSpan(root, startMs));
    walk(root, '');
  }
  return { lines, roots: roots.length };
}
