// A cache of the proxy passwords of accounts: they never change, and clients call /users/me often.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { ensureAccountRecord } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** By the id of the account. */
    proxyPasswords: BoundedCache<string, string>;
  }
}

export function openProxyPasswords(): BoundedCache<string, string> {
  return new BoundedCache({ max: 10_000 });
}

/** Returns no promise when it is cached. */
export function proxyPasswordOf(
  { db, services: { proxyPasswords } }: Pick<Kernel, 'db' | 'services'>,
  userId: string,
): string | Promise<string> {
  const known = proxyPasswords.get(userId);
  if (known !== undefined) return known;
  return ensureAccountRecord(db, userId).then(({ proxyPassword }) => {
    proxyPasswords.set(userId, proxyPassword);
    return proxyPassword;
  });
}
