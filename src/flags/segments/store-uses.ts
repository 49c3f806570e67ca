// Which flags use a segment: an index over the rules of all flags, updated whenever a flag is stored.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FlagConfig } from '../feature-flags/flag.ts';
import { couldBeKey } from '../fields.ts';

/** The keys of the segments that a flag's rules name in an environment, each once. */
export function segmentKeysOf({ rules }: Pick<FlagConfig, 'rules'>): string[] {
  const keys = rules
    .flatMap(({ clauses }) => clauses)
    .filter(({ op }) => op === 'segmentMatch')
    .flatMap(({ values }) => values)
    .filter((value): value is string => typeof value === 'string' && couldBeKey(value));
  return [...new Set(keys)].sort();
}

/** Runs in the transaction that stores the flag; `keys` replaces all earlier ones. */
export async function replaceSegmentUses(
  tx: Db,
  environmentId: string,
  flagId: string,
  keys: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('segment_uses')
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .execute();
  for (const batch of chunk(keys)) {
    await tx
      .insertInto('segment_uses')
      .values(batch.map((key) => ({ environment_id: environmentId, segment_key: key, flag_id: flagId })))
      .execute();
  }
}

/** Sorted by key; all of them, or the first ones. */
export async function listFlagsUsing(
  db: Db,
  environmentId: string,
  segmentKey: string,
  limit?: number,
): Promise<{ key: string; name: string }[]> {
  return await db
    .selectFrom('segment_uses')
    .innerJoin('flags', 'flags.id', 'segment_uses.flag_id')
    .select(['flags.key', 'flags.name'])
    .where('segment_uses.environment_id', '=', environmentId)
    .where('segment_uses.segment_key', '=', segmentKey)
    .orderBy('flags.key')
    .$if(limit !== undefined, (query) => query.limit(limit!))
    .execute();
}
