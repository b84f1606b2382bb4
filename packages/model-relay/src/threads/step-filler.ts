export const STEP_BYTES = 256 * 1024;
/** Limit for one body. Beyond it, the reader holds back the program that sends the body. */
const MAX_STEPS = 4;

/** `takeStep` answers one to be filled; all are of one size. */
export type StepWay = {
  send(step: ArrayBuffer, sizeBytes: number): void;
  takeStep(): ArrayBuffer;
  keepStep(step: ArrayBuffer): void;
};

/** Copies what comes into steps and sends each that is full. Holds what comes while all of them are away. */
export function createStepFiller(way: StepWay) {
  let step: Buffer | undefined;
  let sentSteps = 0;
  let waiting: Buffer[] = [];
  let filledBytes = 0;

  const hasRoom = (): boolean => sentSteps < MAX_STEPS;

  function sendStep({ buffer }: Buffer): void {
    way.send(buffer as ArrayBuffer, filledBytes);
    sentSteps += 1;
    filledBytes = 0;
    step = undefined;
  }

  function copy(chunk: Buffer): void {
    for (let taken = 0; taken < chunk.length; ) {
      if (!hasRoom()) return void waiting.push(Buffer.from(chunk.subarray(taken)));
      step ??= Buffer.from(way.takeStep());
      const copied = chunk.copy(step, filledBytes, taken);
      taken += copied;
      filledBytes += copied;
      if (filledBytes === step.length) sendStep(step);
    }
  }

  return {
    ...{ hasRoom, copy, isHolding: () => waiting.length > 0 },
    takeBack(free: ArrayBuffer): void {
      sentSteps -= 1;
      way.keepStep(free);
      const chunks = waiting;
      waiting = [];
      for (const chunk of chunks) copy(chunk);
    },
    flush(): void {
      if (step !== undefined) sendStep(step);
    },
    drop(): void {
      waiting = [];
      if (step !== undefined) way.keepStep(step.buffer as ArrayBuffer);
      step = undefined;
    },
  };
}
