// Tokens that open an event stream: browsers cannot send a header with such a request, and no key may be in an address.
import { timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { acceptedKeys, type KeyKind } from '../delivery/accepted-key.ts';
import type { OpenedFeed } from '../delivery/keys.ts';
import { findEnvironmentById } from '../environments/store.ts';
import { couldBeId } from '../fields.ts';
import type { Environment } from '../projects/project.ts';

const PURPOSE = 'OFREP event streams';

/**
 * A token opens streams for five to ten minutes; a stream that is open stays open. All tokens of five minutes are the
 * same, so that the address of the stream, and with it the ETag, does not change with every call.
 */
const PERIOD_MS = 5 * 60_000;
const PERIODS = 2;

/** Whether the environment was in secure mode: then a client-side ID has come with the hash of its context. */
const SECURE = 'secure';
const OPEN = 'open';

/**
 * It names the environment, the kind of key, whether the caller has passed secure mode, and the expiry. The signature covers
 * the key too, so that a reset ends it.
 */
export function signStreamToken(
  secrets: SecretBox,
  { feed: { environment }, kind, key }: OpenedFeed,
  now: number,
): string {
  const expiry = (Math.floor(now / PERIOD_MS) + PERIODS) * PERIOD_MS;
  const claims = [environment.id, kind, environment.secureMode ? SECURE : OPEN, expiry].join('.');
  return `${claims}.${signatureOf(secrets, claims, key)}`;
}

export interface OpenedStream extends OpenedFeed {
  /** Whether the token is still good after the environment has changed, beside its key. */
  isAccepted(environment: Environment): boolean;
}

export async function openByStreamToken(
  { db, secrets, services: { feeds } }: Pick<Kernel, 'db' | 'secrets' | 'services'>,
  token: string,
  now: number,
): Promise<OpenedStream> {
  const [id = '', kind = '', mode = '', expiry = '', signature = ''] = token.split('.');
  if (!isKind(kind) || !couldBeId(id)) throw wrongToken();
  const environment = await findEnvironmentById(db, id);
  if (environment === undefined) throw wrongToken();
  const key = acceptedKeys(environment, kind, now).find((accepted) =>
    isEqual(signature, signatureOf(secrets, [id, kind, mode, expiry].join('.'), accepted)),
  );
  const isAccepted = ({ secureMode }: Environment) => kind !== 'client' || mode === SECURE || !secureMode;
  if (key === undefined || !(Number(expiry) > now) || !isAccepted(environment)) throw wrongToken();
  return { feed: await feeds.open(environment), kind, key, isAccepted };
}

function signatureOf(secrets: SecretBox, claims: string, key: string): string {
  return secrets.sign(PURPOSE, `${claims}.${key}`);
}

function isKind(text: string): text is KeyKind {
  return ['sdk', 'mobile', 'client'].includes(text);
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function wrongToken(): Failure {
  return new Failure(
    'unauthenticated',
    'The token of this stream is not valid, or no longer. Evaluate all flags to get a new one.',
  );
}
