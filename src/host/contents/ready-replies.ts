// Replies about files and folders that are ready to be sent: what an object id stands for never changes.
import { BoundedCache } from '../../kernel/collections/bounded-cache.ts';
import { etagOf, type StoredBytes } from '../../kernel/http/reply/etag.ts';
import { stringifyLarge } from '../../kernel/json/stringify.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Bytes } from '../../kernel/http/route.ts';
import { downloadExpiry } from '../download-token.ts';
import type { FoundEntry } from '../git/repository.ts';
import type { ContentPlace } from './content-urls.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    readyReplies: BoundedCache<string, StoredBytes>;
  }
}

const MAX_BYTES = 32 * 1024 ** 2;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 500;

export function openReadyReplies(): BoundedCache<string, StoredBytes> {
  return new BoundedCache({ max: MAX_BYTES, weigh: ({ bytes }) => bytes.length + ENTRY_BYTES });
}

/** For a representation that is the same in all versions. The caller has checked that the repository may be read. */
export async function replyReady(
  { services: { readyReplies }, release }: Kernel,
  place: ContentPlace,
  entry: Pick<FoundEntry, 'oid' | 'path'>,
  show: () => Promise<unknown>,
): Promise<Bytes> {
  const key = keyOf(place, entry);
  let ready = readyReplies.get(key);
  if (ready === undefined) {
    ready = { bytes: await stringifyLarge(await show()), etag: etagOf(`${release}\n${key}`) };
    readyReplies.set(key, ready);
  }
  return new Bytes(ready.bytes, { etag: ready.etag });
}

/** Everything that the reply depends on: its addresses name the branch, and of a private repository a commit and a token. */
function keyOf(
  { base, owner, ref, repository, commit, holder, now }: ContentPlace,
  { oid, path }: Pick<FoundEntry, 'oid' | 'path'>,
) {
  const token = repository.isPrivate ? `${commit} ${downloadExpiry(now)} ${holder}` : '';
  return `${oid} ${token}\n${base}\n${owner.login}/${repository.name}\n${ref}\n${path}`;
}
