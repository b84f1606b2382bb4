import chromium from '@sparticuz/chromium';
import { type Browser, chromium as launcher } from 'playwright-core';

/** A Chromium with its web security on. */
export async function openChromium(): Promise<Browser> {
  return launcher.launch({
    executablePath: await chromium.executablePath(),
    chromiumSandbox: process.getuid?.() !== 0,
  });
}
