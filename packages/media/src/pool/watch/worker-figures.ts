import type { ChildProcess } from 'node:child_process';
import { figuresOfNone, openProcessFigures, type ProcessFigures } from './process-figures.ts';

type Opened = { pid: number; figures: ProcessFigures };

const opened = new WeakMap<ChildProcess, Opened>();

/** The figures of the process `pid` of a worker, opened once for all of its jobs and closed when the worker ends. */
export function figuresOf(child: ChildProcess, pid: number): ProcessFigures {
  const known = opened.get(child);
  if (known?.pid === pid) return known.figures;
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  const figures = hasEnded ? undefined : openProcessFigures(pid);
  if (figures === undefined) return figuresOfNone;
  if (known === undefined) child.once('exit', () => opened.get(child)?.figures.close());
  known?.figures.close();
  opened.set(child, { pid, figures });
  return figures;
}
