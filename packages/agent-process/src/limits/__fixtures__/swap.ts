import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// A hostile agent: at `place` there is a folder, and then a link to `outside`, and again, until it is killed. It remakes what is taken away.
const [place = '', outside = '', hoard = ''] = process.argv.slice(2);
const [folder, link] = [join(hoard, 'folder'), join(hoard, 'link')];

function prepare(): void {
  for (const each of [dirname(place), folder]) mkdirSync(each, { recursive: true });
  for (let count = 0; count < 5; count += 1) writeFileSync(join(folder, `file-${count}`), '');
  if (!existsSync(link)) symlinkSync(outside, link);
}

for (;;) {
  try {
    prepare();
    for (;;) {
      renameSync(folder, place);
      renameSync(place, folder);
      renameSync(link, place);
      renameSync(place, link);
    }
  } catch {
    try {
      renameSync(place, `${folder}.${process.hrtime.bigint()}`);
    } catch {
      // It was taken away.
    }
  }
}
