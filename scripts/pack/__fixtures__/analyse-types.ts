import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

// Prints what of a package's types is wrong, as a list of names, for who resolves modules as Node's own modules or a bundler do. A process of its own: it
// wants to be loaded as it was published.

// Before Node knew `exports`, and for `require`.
const others = ['node10', 'node16-cjs'];
const isOfModules = (problem: object) => !others.includes(String(Object(problem).resolutionKind));

const analysed = await checkPackage(createPackageFromTarballData(readFileSync(process.argv[2] ?? '')));
const problems = 'problems' in analysed ? analysed.problems.filter(isOfModules).map(({ kind }) => kind) : ['NoTypes'];
process.stdout.write(JSON.stringify(problems));
