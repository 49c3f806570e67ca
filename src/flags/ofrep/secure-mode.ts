// In secure mode a client-side ID, which is public, must come with a hash of the context that only a server can compute.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/route.ts';
import { checkHash } from '../delivery/keys.ts';
import type { Context } from '../evaluation/context.ts';
import type { OpenedKey } from './keys.ts';

export const HASH_HEADER = 'X-LD-Secure-Mode-Hash';

export function checkSecureMode(
  { environment, audience }: OpenedKey,
  context: Context,
  { headers, query, now }: Pick<Call, 'headers' | 'now'> & { query: { h?: string } },
): void {
  if (audience !== 'usingEnvironmentId') return;
  const hash = headers[HASH_HEADER.toLowerCase()] ?? query.h;
  try {
    checkHash(environment, context, hash === undefined ? '' : String(hash), now);
  } catch (cause) {
    throw new Failure(
      'forbidden',
      `This environment is in secure mode: send the hash of the context in the header ${HASH_HEADER}, or as h in the query.`,
      { cause },
    );
  }
}
