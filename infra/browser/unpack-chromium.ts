import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';

// It runs with TMPDIR as the folder to unpack into: the package offers no other way to choose one.
await chromium.executablePath();
await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))));
