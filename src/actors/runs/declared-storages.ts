// The storages of runs: three default ones, and those that the definition of the build declares by alias.
import { isObject } from '../../kernel/json/json-value.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Build } from '../builds/model.ts';
import { insertDataset } from '../datasets/store.ts';
import { insertRecord, type NewRecord } from '../key-value-stores/store.ts';
import { insertStore } from '../key-value-stores/store-stats.ts';
import { insertQueue } from '../request-queues/store.ts';
import type { StorageKind } from '../storages/model.ts';
import { insertStorage } from '../storages/store.ts';
import { newId } from '../../kernel/id.ts';
import { hasPrice, ITEM_EVENT } from './charges.ts';
import { STORAGE_GROUPS, storageIdsOf, type Run, type StorageGroup, type StorageIds } from './model.ts';

interface DeclaredKind {
  kind: StorageKind;
  one?: string;
  insert(tx: Db, id: string, now: number): Promise<unknown>;
}

const KINDS: Record<StorageGroup, DeclaredKind> = {
  datasets: { kind: 'dataset', one: 'dataset', insert: insertDataset },
  keyValueStores: { kind: 'key-value-store', one: 'keyValueStore', insert: insertStore },
  requestQueues: { kind: 'request-queue', insert: insertQueue },
};

/** New ids of those that the build declares and the run does not have yet, by kind and alias. */
export function newAliases(build: Build, now: number, run?: Run): Partial<StorageIds> | undefined {
  const known = run && storageIdsOf(run);
  const groups = STORAGE_GROUPS.flatMap((group): [StorageGroup, Record<string, string>][] => {
    const aliases = Object.keys(schemasOf(build, group)).filter(
      (alias) => alias !== 'default' && !Object.hasOwn(known?.[group] ?? {}, alias),
    );
    return aliases.length === 0
      ? []
      : [[group, Object.fromEntries(aliases.map((alias) => [alias, newId(now)]))]];
  });
  return groups.length === 0 ? undefined : Object.fromEntries(groups);
}

/** By alias. The build has checked them. */
function schemasOf({ definition }: Build, group: StorageGroup): Record<string, unknown> {
  const storages = definition?.['storages'];
  if (!isObject(storages)) return {};
  const { one } = KINDS[group];
  const several = storages[group];
  return { ...(one !== undefined && { default: storages[one] }), ...(isObject(several) && several) };
}

/** All storages of a new run, with its input in the default key-value store. */
export async function insertRunStorages(
  tx: Db,
  { run, build, input }: { run: Run; build: Build; input: NewRecord | undefined },
  now: number,
): Promise<void> {
  await insertStorages(tx, run, build, storageIdsOf(run), now);
  if (input !== undefined) await insertRecord(tx, run.storeId, run.inputKey, input, now);
}

/** For a run that goes on with another build. Returns all aliases that it has then. */
export async function addAliases(tx: Db, run: Run, build: Build, now: number): Promise<Pick<Run, 'aliases'>> {
  const added = newAliases(build, now, run);
  if (added === undefined) return {};
  await insertStorages(tx, run, build, added, now);
  const groups = STORAGE_GROUPS.map(
    (group) => [group, { ...run.aliases?.[group], ...added[group] }] as const,
  );
  return { aliases: Object.fromEntries(groups) as unknown as StorageIds };
}

/** Inserts the storages with these ids. */
async function insertStorages(
  tx: Db,
  run: Run,
  build: Build,
  ids: Partial<StorageIds>,
  now: number,
): Promise<void> {
  const common = { userId: run.userId, actId: run.actorId, actRunId: run.id };
  const storages = STORAGE_GROUPS.flatMap((group) => {
    const schemas = schemasOf(build, group);
    return Object.entries(ids[group] ?? {}).map(([alias, id]) => {
      const schema = Object.hasOwn(schemas, alias) ? schemas[alias] : undefined;
      return { ...KINDS[group], id, ...(isObject(schema) && { schema }) };
    });
  });
  await awaitAll(
    storages.flatMap(({ insert, one: _one, ...storage }) => {
      const chargesItems = storage.id === run.datasetId && hasPrice(run.pricing, ITEM_EVENT);
      return [insertStorage(tx, { ...common, ...storage, chargesItems }, now), insert(tx, storage.id, now)];
    }),
  );
}
