import { type ScanOutcome, scanArguments } from '../scan-arguments.ts';
import { type ScanLimits, scanLimits } from '../scan-limits.ts';

/** Scans without a pause. */
export function scanAtOnce(input: unknown, limits: ScanLimits = scanLimits): ScanOutcome {
  const scan = scanArguments(input, limits);
  let step = scan.next();
  while (step.done !== true) step = scan.next();
  return step.value;
}
