// Which field names datasets have seen, in a cache, so that a push writes only those that are new.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
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

/** Who stores new names adds them. Names that another node has stored meanwhile are stored once more, and read as one. */
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
