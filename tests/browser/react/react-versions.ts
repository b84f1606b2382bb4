import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const folderOf = (name: string) => dirname(fileURLToPath(import.meta.resolve(name)));

/** The oldest React that the package supports, in the place of the newest one. */
export const react18 = { react: folderOf('react-18'), 'react-dom': folderOf('react-dom-18') };
