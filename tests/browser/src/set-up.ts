import { mkdir, readdir, rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { ensureChromium } from '@attache/infra/browser/ensure-chromium';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import type { TestProject } from 'vitest/node';
import { screenshotFolder } from './keep-screenshot.ts';
import { PORTS_PER_WORKER } from './ports.ts';
import { startSharedStack } from './shared-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    browser: {
      program: string;
      environment: Record<string, string>;
      /** The embedded stack that all suites share. */
      stack: { url: string; dataDir: string };
      /** Loopback ports whose pages may call the stack: so many for each worker, one worker after the other. */
      allowedPorts: number[];
    };
  }
}

/** Vitest's global set-up: finds Chromium, and starts one embedded stack that pages of some ports may call. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await ensureChromium({
    cacheFolder: cacheFolderOf(process.env),
    searchPath: process.env.PATH ?? '',
    onProgress: print,
  });
  if ('why' in chromium) throw new Error(chromium.why);
  const workers = Number(project.vitest.config.maxWorkers);
  const allowedPorts = await Promise.all(Array.from({ length: workers * PORTS_PER_WORKER }, findFreePort));
  await rm(screenshotFolder, { recursive: true, force: true });
  await mkdir(screenshotFolder, { recursive: true });
  const { stop, ...stack } = await startSharedStack(allowedPorts.map((port) => `http://127.0.0.1:${port}`));
  project.provide('browser', { ...chromium, stack, allowedPorts });
  return async () => {
    await stop();
    const kept = (await readdir(screenshotFolder)).length;
    print(`${kept} screenshots are in ${relative(process.cwd(), screenshotFolder)}`);
  };
}

const print = (line: string) => void process.stdout.write(`${line}\n`);
