// What the tabs of a flag need of it beyond what lists show.
import type { Flag } from '../flag.ts';

export type FlagDetail = Flag & Required<Pick<Flag, 'clientSideAvailability'>>;

/** One flag is always read whole. */
export function detailOf(flag: Flag): FlagDetail {
  return flag as FlagDetail;
}
