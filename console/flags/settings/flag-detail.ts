// What the tabs of a flag need of it beyond what lists show: availability, defaults, and what each environment serves.
import type { Flag, FlagConfig } from '../flag.ts';

interface Rollout {
  variations: { variation: number; weight: number }[];
}

interface Serve {
  variation?: number;
  rollout?: Rollout;
}

export interface TargetList {
  values: string[];
  variation: number;
  contextKind?: string;
}

export interface ConfigDetail extends FlagConfig {
  targets?: TargetList[];
  contextTargets?: TargetList[];
  rules?: (Serve & { description?: string })[];
  fallthrough?: Serve;
  offVariation?: number;
  trackEvents?: boolean;
  trackEventsFallthrough?: boolean;
}

export interface FlagDetail extends Omit<Flag, 'environments'> {
  clientSideAvailability: { usingEnvironmentId: boolean; usingMobileKey: boolean };
  defaults?: { onVariation: number; offVariation: number };
  environments?: Record<string, ConfigDetail>;
}

/** One flag is always read whole. */
export function detailOf(flag: Flag): FlagDetail {
  return flag as unknown as FlagDetail;
}
