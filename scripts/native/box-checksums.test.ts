import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boxFolder, CHECKSUMS_FILE, composeChecksums, PROGRAM_NAME } from './box-recipe.ts';

// The machine in the header of an ELF file.
const MACHINE_OFFSET = 18;
const MACHINES = { x64: 62, arm64: 183 };

describe('the checked-in programs of the box', () => {
  it('are those that were built from these sources (build-box.ts builds them) [BX-22]', async () => {
    expect(await composeChecksums(boxFolder)).toBe(readFileSync(join(boxFolder, CHECKSUMS_FILE), 'utf8'));
  });

  it.each(Object.entries(MACHINES))('are small and executable for %s', (arch, machine) => {
    const program = join(boxFolder, arch, PROGRAM_NAME);
    expect(readFileSync(program).readUInt16LE(MACHINE_OFFSET)).toBe(machine);
    expect(statSync(program).mode & 0o111).toBe(0o111);
    expect(statSync(program).size).toBeLessThan(100_000);
  });
});
