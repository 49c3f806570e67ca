// Authenticates calls by any key of an environment, whose kind determines the flags that a caller may see, and in secure mode by a hash of the context.
import { Failure } from '../../kernel/failure.ts';
import type { Services } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { type KeyKind, type OpenedFeed, isHashGood } from '../delivery/keys.ts';
import type { Context } from '../evaluation/context.ts';

/** The key is in `Authorization`, with or without `Bearer`, or in `X-API-Key`; its prefix says which kind it is. */
export async function openByAnyKey(
  { services: { feeds } }: { services: Pick<Services, 'feeds'> },
  { headers, now }: Pick<Call, 'headers' | 'now'>,
): Promise<OpenedFeed> {
  const key = keyIn(headers);
  const kind = kindOf(key);
  const feed = await feeds.openByKey(kind, key, now);
  if (feed === undefined) throw wrongKey();
  return { feed, kind, key };
}

function keyIn({ authorization, 'x-api-key': apiKey }: Call['headers']): string {
  return String(authorization ?? apiKey ?? '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

function kindOf(key: string): KeyKind {
  if (key.startsWith('sdk-')) return 'sdk';
  return key.startsWith('mob-') ? 'mobile' : 'client';
}

function wrongKey(): Failure {
  return new Failure(
    'unauthenticated',
    'Send a valid SDK key, mobile key or client-side ID in the header "Authorization: Bearer <key>" or "X-API-Key: <key>".',
  );
}

export const HASH_HEADER = 'X-LD-Secure-Mode-Hash';

/** A client-side ID, which is public, must come with a hash of the context that only a server can compute. */
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
