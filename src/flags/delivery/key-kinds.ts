// Keys of an environment: which it accepts, the current one of each kind and an old one until it expires, and which flags each kind may see.
import type { Environment } from '../projects/project.ts';
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
