// Authenticates SDKs by environment keys. Each key grants read access to one environment, and is no access token.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { Services } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/route.ts';
import { canonicalKey, type Context } from '../evaluation/context.ts';
import type { Environment } from '../projects/project.ts';
import type { KeyKind } from './accepted-key.ts';
import type { Feed } from './feed.ts';

type KeyCall = Pick<Call, 'headers' | 'now'>;

interface FeedAccess {
  services: Pick<Services, 'feeds'>;
}

/** A key that was accepted, and the feed of its environment. */
export interface OpenedFeed {
  feed: Feed;
  kind: KeyKind;
  key: string;
}

export function openBySdkKey(kernel: FeedAccess, { headers, now }: KeyCall): Promise<OpenedFeed> {
  return open(kernel, 'sdk', keyIn(headers), now);
}

export function openByMobileKey(kernel: FeedAccess, { headers, now }: KeyCall): Promise<OpenedFeed> {
  return open(kernel, 'mobile', keyIn(headers), now);
}

export function openByClientId(kernel: FeedAccess, id: string, now: number): Promise<OpenedFeed> {
  return open(kernel, 'client', id, now);
}

async function open(
  { services: { feeds } }: FeedAccess,
  kind: KeyKind,
  key: string,
  now: number,
): Promise<OpenedFeed> {
  const feed = await feeds.openByKey(kind, key, now);
  if (feed === undefined) throw unknownKey(kind);
  return { feed, kind, key };
}

/** A client-side ID is not secret, so that an unknown one is `not-found`. */
function unknownKey(kind: KeyKind): Failure {
  if (kind === 'client') return new Failure('not-found', 'There is no environment with this client-side ID.');
  const name = kind === 'sdk' ? 'SDK' : 'mobile';
  return new Failure('unauthenticated', `This is no ${name} key that is good.`);
}

function keyIn({ authorization }: KeyCall['headers']): string {
  return String(authorization ?? '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

/** In secure mode the browser must send a hash of the context, which only a server with the SDK key can compute. */
export function isHashGood(environment: Environment, context: Context, shown = '', now: number): boolean {
  const { secureMode, sdkKey, oldSdkKey } = environment;
  if (!secureMode) return true;
  const keys = oldSdkKey !== undefined && oldSdkKey.until > now ? [sdkKey, oldSdkKey.key] : [sdkKey];
  const given = Buffer.from(shown.toLowerCase());
  return keys.some((key) => {
    const wanted = Buffer.from(createHmac('sha256', key).update(canonicalKey(context)).digest('hex'));
    return wanted.length === given.length && timingSafeEqual(wanted, given);
  });
}

export function checkHash(
  environment: Environment,
  context: Context,
  shown: string | undefined,
  now: number,
): void {
  if (!isHashGood(environment, context, shown, now))
    throw new Failure('invalid', 'This environment is in secure mode: h must be the hash of the context.');
}
