import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createIdleTimer } from './idle-timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function given(idleMs: () => number | undefined = () => 1_000) {
  const onIdle = vi.fn();
  return { timer: createIdleTimer(idleMs, onIdle), onIdle };
}

it('fires once after the last of the turns that shared a process, and not while the next one runs', () => {
  const { timer, onIdle } = given();
  timer.begin();
  timer.begin();
  timer.end();
  vi.advanceTimersByTime(5_000);
  timer.end();
  vi.advanceTimersByTime(999);
  timer.begin();
  vi.advanceTimersByTime(5_000);
  expect(onIdle).not.toHaveBeenCalled();
  timer.end();
  vi.advanceTimersByTime(5_000);
  expect(onIdle).toHaveBeenCalledTimes(1);
});

it('does not fire for one that may rest for ever, or leaves already', () => {
  const patient = given(() => undefined);
  patient.timer.begin();
  patient.timer.end();
  const leaving = given();
  leaving.timer.begin();
  leaving.timer.cancel();
  leaving.timer.end();
  vi.advanceTimersByTime(100_000);
  expect(patient.onIdle).not.toHaveBeenCalled();
  expect(leaving.onIdle).not.toHaveBeenCalled();
});
