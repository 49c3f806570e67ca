// A cache of the field names of each dataset, so that a push writes only new ones.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findCounts } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By the id of the dataset. */
    datasetFields: BoundedCache<string, Set<string>>;
  }
}

export function openDatasetFields(): BoundedCache<string, Set<string>> {
  return new BoundedCache({ max: 1000 });
}

/** The caller adds the names that it stores. Names that another node stored meanwhile are stored twice, and read once. */
export async function knownFields(
  { db, services: { datasetFields } }: Pick<Kernel, 'db' | 'services'>,
  id: string,
): Promise<Set<string>> {
  const known = datasetFields.get(id);
  if (known !== undefined) return known;
  const counts = (await findCounts(db, [id])).get(id);
  const loaded = datasetFields.get(id) ?? new Set(counts?.fields);
  datasetFields.set(id, loaded);
  return loaded;
}
