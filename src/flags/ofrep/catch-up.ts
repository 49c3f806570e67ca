// Waits for the revision that an event has announced: the call that follows may have come to a node that does not have it yet.
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Feed } from '../delivery/feed.ts';
import { listRevisions } from '../delivery/store-revisions.ts';
import { readRevision } from './change-protocol.ts';

/** Longer than a node needs that has lost the notice of a change, and looks for changes by itself. */
const MAX_WAIT_MS = 3000;
const PAUSE_MS = 10;

/** `announced` is what the client sends back of an event. Values that no event had are ignored. */
export async function catchUp(
  { db, services: { feeds } }: Pick<Kernel, 'db' | 'services'>,
  feed: Feed,
  announced: string | undefined,
): Promise<Feed> {
  const wanted = readRevision(announced);
  if (wanted === undefined || feed.revision >= wanted) return feed;
  const { environment } = feed;
  const revision = Math.min(wanted, (await listRevisions(db, [environment.id])).get(environment.id) ?? 0);
  const end = performance.now() + MAX_WAIT_MS;
  let latest = feed;
  while (latest.revision < revision) {
    if (performance.now() > end)
      throw new Failure(
        'unavailable',
        'The latest changes have not arrived here yet. Try again in a moment.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    await delay(PAUSE_MS);
    latest = await feeds.open(environment);
  }
  return latest;
}
