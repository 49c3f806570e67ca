// Keys of environments: which are accepted, which flags each kind may see, and how SDKs authenticate by them. They grant read access, and are no access tokens.
import { createHmac } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { Services } from '../../kernel/kernel.ts';
import type { Call } from '../../kernel/http/route.ts';
import { isSameSecret } from '../../kernel/secrets/secret.ts';
import { canonicalKey, type Context } from '../evaluation/context.ts';
import { couldBeId } from '../fields.ts';
import type { Environment } from '../projects/project.ts';
import { readSdkNames } from '../sdk-activity/sdk-names.ts';
import type { Feed } from './feed/feed.ts';
import type { FlagData } from '../evaluation/data.ts';

/** An SDK key, a mobile key or a client-side ID. */
export type KeyKind = 'sdk' | 'mobile' | 'client';

const FIELDS = {
  sdk: ['sdkKey', 'oldSdkKey'],
  mobile: ['mobileKey', 'oldMobileKey'],
  client: ['clientId', 'oldClientId'],
} as const;

export function acceptedKeys(environment: Environment, kind: KeyKind, now: number): string[] {
  const [current, old] = FIELDS[kind];
  const retired = environment[old];
  return retired !== undefined && retired.until > now
    ? [environment[current], retired.key]
    : [environment[current]];
}

export function acceptsKey(
  environment: Environment,
  { kind, key }: { kind: KeyKind; key: string },
  now: number,
): boolean {
  return acceptedKeys(environment, kind, now).includes(key);
}

/** Whether an old key has expired after the one time and at the other or before. */
export function hasExpiredBetween(environment: Environment, since: number, now: number): boolean {
  return Object.values(FIELDS).some(([, old]) => {
    const retired = environment[old];
    return retired !== undefined && retired.until > since && retired.until <= now;
  });
}

/** Holders of an SDK key see every flag. */
export type Audience = 'server' | keyof FlagData['clientSideAvailability'];

export const AUDIENCES: Readonly<Record<KeyKind, Audience>> = {
  sdk: 'server',
  mobile: 'usingMobileKey',
  client: 'usingEnvironmentId',
};

export function canSee(audience: Audience, { clientSideAvailability }: FlagData): boolean {
  return audience === 'server' || clientSideAvailability[audience];
}

type KeyCall = Pick<Call, 'headers' | 'now'>;

interface FeedAccess {
  services: Pick<Services, 'feeds' | 'sdkActivity'>;
}

/** A key that was accepted, and the feed of its environment. */
export interface OpenedFeed {
  feed: Feed;
  kind: KeyKind;
  key: string;
}

export function openBySdkKey(kernel: FeedAccess, call: KeyCall): Promise<OpenedFeed> {
  return open(kernel, 'sdk', keyIn(call.headers), call);
}

export function openByMobileKey(kernel: FeedAccess, call: KeyCall): Promise<OpenedFeed> {
  return open(kernel, 'mobile', keyIn(call.headers), call);
}

export function openByClientId(kernel: FeedAccess, id: string, call: KeyCall): Promise<OpenedFeed> {
  return open(kernel, 'client', id, call);
}

async function open(
  { services: { feeds, sdkActivity } }: FeedAccess,
  kind: KeyKind,
  key: string,
  { headers, now }: KeyCall,
): Promise<OpenedFeed> {
  const feed = await feeds.openByKey(kind, key, now);
  if (feed === undefined) throw kind === 'client' ? unknownId(key) : unknownKey(kind, key);
  sdkActivity.note(feed.environment.id, kind, readSdkNames(headers), now);
  return { feed, kind, key };
}

const NAMES = {
  sdk: 'an SDK key',
  mobile: 'a mobile key',
  client: 'a client-side ID',
  token: 'an access token',
} as const;

/** By its form alone, which the caller knows: this says nothing of whether it is valid. */
function formOf(key: string): keyof typeof NAMES | undefined {
  if (key.startsWith('sdk-')) return 'sdk';
  if (key.startsWith('mob-')) return 'mobile';
  if (key.startsWith('api-')) return 'token';
  return couldBeId(key) ? 'client' : undefined;
}

/** A client-side ID is not secret, so that an unknown one is `not-found`. */
function unknownId(id: string): Failure {
  const form = formOf(id);
  return new Failure(
    'not-found',
    form === undefined || form === 'client'
      ? 'There is no environment with this client-side ID.'
      : `This path needs a client-side ID, and has ${NAMES[form]}, which is a secret and must not be in a path.`,
  );
}

const HEADERS = {
  sdk: 'a valid SDK key in the header "Authorization: sdk-…"',
  mobile: 'a valid mobile key in the header "Authorization: mob-…"',
} as const;

function unknownKey(kind: keyof typeof HEADERS, key: string): Failure {
  const form = formOf(key);
  const isOther = form !== undefined && form !== kind;
  const sent = isOther ? `, and was sent ${NAMES[form]}` : ', and what was sent is not valid, or no longer';
  return new Failure('unauthenticated', `This path needs ${HEADERS[kind]}${key === '' ? '' : sent}.`);
}

export function keyIn({ authorization }: KeyCall['headers']): string {
  return String(authorization ?? '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

/** In secure mode the browser must send a hash of the context, which only a server with the SDK key can compute. */
export function isHashGood(environment: Environment, context: Context, shown = '', now: number): boolean {
  const { secureMode, sdkKey, oldSdkKey } = environment;
  if (!secureMode) return true;
  const keys = oldSdkKey !== undefined && oldSdkKey.until > now ? [sdkKey, oldSdkKey.key] : [sdkKey];
  return keys.some((key) =>
    isSameSecret(shown.toLowerCase(), createHmac('sha256', key).update(canonicalKey(context)).digest('hex')),
  );
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
