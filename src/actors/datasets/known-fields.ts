// Remembers which field names a dataset has seen, so that a push writes only those that are new.
import type { Engine } from '../../kernel/storage/engine.ts';
import { findCounts } from './store.ts';

const MOST_REMEMBERED = 1000;

const memories = new WeakMap<Engine, Map<string, Set<string>>>();

/** Whoever has stored new names adds them. What another node has stored meanwhile is stored once more, and read as one. */
export async function knownFields(engine: Engine, id: string): Promise<Set<string>> {
  let memory = memories.get(engine);
  if (memory === undefined) memories.set(engine, (memory = new Map()));
  const known = memory.get(id);
  if (known !== undefined) return known;
  const counts = (await findCounts(engine.db, [id])).get(id);
  const loaded = memory.get(id) ?? new Set(counts?.fields);
  if (memory.size >= MOST_REMEMBERED) memory.clear();
  memory.set(id, loaded);
  return loaded;
}
