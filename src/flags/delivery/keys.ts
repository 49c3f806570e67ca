// Authenticates SDKs by environment keys. Each key grants read access to one environment, and is no access token.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  findEnvironmentByClientId,
  findEnvironmentByMobileKey,
  findEnvironmentBySdkKey,
} from '../environments/store.ts';
import { canonicalKey, type Context } from '../evaluation/context.ts';
import type { Environment } from '../projects/project.ts';

type DeliveryCall = Pick<Call, 'headers' | 'now'>;

export async function openBySdkKey(db: Db, { headers, now }: DeliveryCall): Promise<Environment> {
  const environment = await findEnvironmentBySdkKey(db, keyIn(headers), now);
  if (environment === undefined) throw new Failure('unauthenticated', 'This is no SDK key that is good.');
  return environment;
}

export async function openByMobileKey(db: Db, { headers, now }: DeliveryCall): Promise<Environment> {
  const environment = await findEnvironmentByMobileKey(db, keyIn(headers), now);
  if (environment === undefined) throw new Failure('unauthenticated', 'This is no mobile key that is good.');
  return environment;
}

/** The id is not secret, so that an unknown one is `not-found`. */
export async function openByClientId(db: Db, id: string, now: number): Promise<Environment> {
  const environment = await findEnvironmentByClientId(db, id, now);
  if (environment === undefined)
    throw new Failure('not-found', 'There is no environment with this client-side ID.');
  return environment;
}

function keyIn({ authorization }: DeliveryCall['headers']): string {
  return String(authorization ?? '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

/** In secure mode the browser must send a hash of the context, which only a server with the SDK key can compute. */
export function checkHash(environment: Environment, context: Context, shown = '', now: number): void {
  const { secureMode, sdkKey, oldSdkKey } = environment;
  if (!secureMode) return;
  const keys = oldSdkKey !== undefined && oldSdkKey.until > now ? [sdkKey, oldSdkKey.key] : [sdkKey];
  const given = Buffer.from(shown.toLowerCase());
  const isGood = keys.some((key) => {
    const wanted = Buffer.from(createHmac('sha256', key).update(canonicalKey(context)).digest('hex'));
    return wanted.length === given.length && timingSafeEqual(wanted, given);
  });
  if (!isGood)
    throw new Failure('invalid', 'This environment is in secure mode: h must be the hash of the context.');
}
