import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listModules } from './kernel-modules.ts';

// The dependencies that the text of each module names.
const needs: Readonly<Record<string, string>> = {
  ...{ virtio_pci: 'virtio_pci_modern_dev', virtio_pci_modern_dev: '', '9pnet_virtio': '9pnet', '9pnet': '' },
  ...{ '9p': '9pnet,netfs', netfs: '', overlay: '', 'virtio-rng': '', vsock: '', af_alg: '' },
};

function givenModules(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'attache-modules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names)
    writeFileSync(join(folder, `${name}.ko`), `license=GPL\0depends=${needs[name]}\0name=${name}\0`);
  return folder;
}

it('lists each module once, after those that it needs', async () => {
  const files = await listModules(givenModules(Object.keys(needs)));
  expect(files.map((file) => basename(file, '.ko'))).toEqual([
    ...['virtio_pci_modern_dev', 'virtio_pci', '9pnet', '9pnet_virtio', 'netfs', '9p'],
    ...['overlay', 'virtio-rng', 'vsock', 'af_alg'],
  ]);
});

it('says which module a kernel lacks', async () => {
  await expect(listModules(givenModules(['virtio_pci']))).rejects.toThrow('no module virtio_pci_modern_dev');
});
