import type { Page } from 'playwright-core';

type Step = 'dragEnter' | 'dragOver' | 'drop';

/** Files and folders of the disk that a person drags over a page. */
export type FileDrag = {
  /** Moves them to a point of the page. */
  moveTo(x: number, y: number): Promise<void>;
  drop(): Promise<void>;
};

/** Begins to drag files and folders, by their paths. */
export async function dragFiles(page: Page, files: string[]): Promise<FileDrag> {
  const protocol = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  const at = { x: 0, y: 0 };
  const step = (type: Step) => protocol.send('Input.dispatchDragEvent', { type, ...at, data });
  await step('dragEnter');
  return {
    async moveTo(x, y) {
      Object.assign(at, { x, y });
      await step('dragOver');
    },
    drop: async () => void (await step('drop')),
  };
}
