// Who reads flags, by the kind of key, which determines the visible flags.
import type { FlagData } from '../evaluation/data.ts';
import type { KeyKind } from './accepted-key.ts';

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
