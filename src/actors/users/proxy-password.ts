// Remembers the password of each account's proxy: it never changes, and clients ask who they are again and again.
import type { Engine } from '../../kernel/storage/engine.ts';
import { ensureAccountRecord } from './store.ts';

const MOST_REMEMBERED = 10_000;

const memories = new WeakMap<Engine, Map<string, string>>();

/** Not a promise when it is remembered. */
export function proxyPasswordOf(engine: Engine, userId: string): string | Promise<string> {
  let memory = memories.get(engine);
  if (memory === undefined) memories.set(engine, (memory = new Map()));
  const known = memory.get(userId);
  if (known !== undefined) return known;
  return ensureAccountRecord(engine.db, userId).then(({ proxyPassword }) => {
    if (memory.size >= MOST_REMEMBERED) memory.clear();
    memory.set(userId, proxyPassword);
    return proxyPassword;
  });
}
