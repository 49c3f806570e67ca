// In secure mode a client-side ID, which is public, must come with a hash of the context that only a server can compute.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/http/route.ts';
import { isHashGood, type OpenedFeed } from '../delivery/keys.ts';
import type { Context } from '../evaluation/context.ts';

export const HASH_HEADER = 'X-LD-Secure-Mode-Hash';

export function checkSecureMode(
  { feed: { environment }, kind }: OpenedFeed,
  context: Context,
  { headers, query, now }: Pick<Call, 'headers' | 'now'> & { query: { h?: string } },
): void {
  if (kind !== 'client') return;
  const hash = headers[HASH_HEADER.toLowerCase()] ?? query.h;
  if (isHashGood(environment, context, hash === undefined ? undefined : String(hash), now)) return;
  throw new Failure(
    'forbidden',
    `This environment is in secure mode: send the hash of the context in the header ${HASH_HEADER}, or as h in the query.`,
  );
}
