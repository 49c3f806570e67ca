// Authenticates calls by any key of an environment. The kind of key determines the flags that a caller may see.
import { Failure } from '../../kernel/failure.ts';
import type { Services } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import type { KeyKind } from '../delivery/accepted-key.ts';
import type { OpenedFeed } from '../delivery/keys.ts';

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
