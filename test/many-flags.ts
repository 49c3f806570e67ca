// A project with many flags, for tests of lists: inserted without HTTP, which would take minutes.
import { insertTestFlag, makeHome } from '../src/flags/feature-flags/fixture.ts';
import type { Kernel } from '../src/kernel/kernel.ts';

/** `flag-0001` to the last, in the environments `production` and `test`. */
export async function insertManyFlags(
  { db }: Pick<Kernel, 'db'>,
  project: string,
  count: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const home = await makeHome(tx, project, ['production', 'test']);
    for (let number = 1; number <= count; number += 1) {
      const digits = String(number).padStart(4, '0');
      await insertTestFlag(tx, home, `flag-${digits}`, {
        name: `Flag ${digits}`,
        tags: number % 10 === 0 ? ['tenth'] : [],
      });
    }
  });
}
