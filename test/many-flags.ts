// A project with many flags, for tests of lists: inserted without HTTP and many at once, because one by one takes minutes.
import { buildFlag, makeHome } from '../src/flags/feature-flags/fixture.ts';
import { toConfigRow, toFlagRow } from '../src/flags/feature-flags/store-rows.ts';
import { chunk } from '../src/kernel/collections/chunk.ts';
import type { Kernel } from '../src/kernel/kernel.ts';

/** Engines bound the parameters of one statement. */
const BATCH = 500;

/** `flag-0001` to the last, in the environments `production` and `test`. */
export async function insertManyFlags(
  { db }: Pick<Kernel, 'db'>,
  project: string,
  count: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const home = await makeHome(tx, project, ['production', 'test']);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    for (const batch of chunk(numbers, BATCH)) {
      const flags = batch.map((number) => {
        const digits = String(number).padStart(4, '0');
        const tags = number % 10 === 0 ? ['tenth'] : [];
        return buildFlag(home, `flag-${digits}`, { name: `Flag ${digits}`, tags });
      });
      const inserted = await tx
        .insertInto('flags')
        .values(flags.map(toFlagRow))
        .returning(['id', 'no'])
        .execute();
      const numbersOf = new Map(inserted.map(({ id, no }) => [id, no]));
      const configs = flags.flatMap((flag) =>
        home.environments.map(({ id, key }) => toConfigRow(flag.id, id, flag.environments[key]!)),
      );
      await tx.insertInto('flag_configs').values(configs).execute();
      const tagged = flags.flatMap(({ id, projectId, tags }) =>
        tags.map((tag) => ({ project_id: projectId, tag, flag_no: numbersOf.get(id)!, flag_id: id })),
      );
      if (tagged.length > 0) await tx.insertInto('flag_tags').values(tagged).execute();
    }
  });
}
