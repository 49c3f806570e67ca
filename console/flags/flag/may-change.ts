// What the person may do to a flag in one environment.
import type { Flag } from '../flag.ts';
import { TARGETING_ACTIONS, useFlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import { FLAG_WORDS as WORDS } from './flag-words.ts';

const REQUEST = 'createApprovalRequest';
const SWITCH = 'updateOn';

export interface MayChange {
  /** Why the flag cannot be switched; undefined where it can, or a request can be made. */
  switchReason: string | undefined;
  /** Why no part of the targeting can be changed. */
  targetingReason: string | undefined;
}

/** Everything is possible until the server has answered. */
export function useMayChange(project: string, flag: Flag, environment: Environment): MayChange {
  const { isKnown, may, resourceOf } = useFlagPermissions(project, flag.key, environment.key);
  const [first] = TARGETING_ACTIONS;
  return {
    switchReason: !isKnown || may(REQUEST, SWITCH) ? undefined : WORDS.needs(SWITCH, resourceOf(SWITCH)),
    targetingReason:
      !isKnown || may(REQUEST, ...TARGETING_ACTIONS) ? undefined : WORDS.needs(first, resourceOf(first)),
  };
}
