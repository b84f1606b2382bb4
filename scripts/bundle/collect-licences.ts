import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The licence texts of every installed package that one of the files belongs to, as their authors ask for. */
export function collectLicences(files: readonly string[]): string {
  const folders = new Set(files.map((file) => PACKAGE_FOLDER.exec(file)?.[0]).filter((folder) => folder !== undefined));
  const texts = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(describeLicence);
  return `${[...new Set(texts)].toSorted().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function describeLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${typeof license === 'string' ? license : 'see below'})`, ...texts].join('\n\n');
}
