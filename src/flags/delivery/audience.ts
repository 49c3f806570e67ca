// Who reads flags, by the kind of key, which determines the visible flags.
import type { FlagData } from '../evaluation/data.ts';

/** Holders of an SDK key see every flag. */
export type Audience = 'server' | keyof FlagData['clientSideAvailability'];

export function canSee(audience: Audience, { clientSideAvailability }: FlagData): boolean {
  return audience === 'server' || clientSideAvailability[audience];
}
