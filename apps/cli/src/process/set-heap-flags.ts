import { setFlagsFromString } from 'node:v8';

/** How V8 treats buffers, which are most of what passes through a service. Before the first of them. */
export function setHeapFlags(): void {
  // Without a bound from the command line, the young generation keeps its first size. If it grew freely, tens of megabytes of buffers of a
  // large upload would pile up before they are collected, and each new one would be cold memory.
  if (!process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size')))
    setFlagsFromString('--semi-space-growth-factor=1');
  // A V8 that lacks these would complain on standard error.
  if (!process.versions.node.startsWith('24.')) return;
  // Otherwise V8 marks the whole heap for every 64 MiB of new buffers, although nearly all of them are garbage by then.
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  // Twice what lives in the heap. V8 gives a service that makes few objects 12 MB more than lives in it, which the buffers of one upload fill.
  setFlagsFromString('--heap-growing-percent=100');
}
