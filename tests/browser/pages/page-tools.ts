// Functions of the page that tests call by their names.

/** Puts an image without a name on the clipboard, as a screenshot tool does. */
async function copyImage(): Promise<void> {
  const canvas = new OffscreenCanvas(8, 8);
  canvas.getContext('2d')?.fillRect(0, 0, 8, 8);
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': await canvas.convertToBlob() })]);
}

const seen = { sentences: [] as string[], longestTaskMs: 0 };

/** Watches what is announced, and how long the page is busy at a stretch. */
function watchPage(): void {
  const region = document.querySelector('[data-attache-part="polite"]') as Element;
  const note = () => void seen.sentences.push(region.textContent ?? '');
  new MutationObserver(note).observe(region, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longestTaskMs = Math.max(seen.longestTaskMs, duration);
  }).observe({ type: 'longtask' });
}

Object.assign(window, { copyImage, watchPage, seen });
