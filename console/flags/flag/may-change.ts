// What the person may do to a flag in one environment.
import { useMay } from '../../app/me.ts';
import type { Flag } from '../flag.ts';
import { useProjects, type Environment } from '../queries.ts';
import { FLAG_WORDS as WORDS } from './flag-words.ts';

const REQUEST = 'createApprovalRequest';
const SWITCH = 'updateOn';
const TARGETING = [
  'updateRules',
  'updateTargets',
  'updateFallthrough',
  'updateOffVariation',
  'updatePrerequisites',
];

export interface MayChange {
  /** Why the flag cannot be switched; undefined where it can, or a request can be made. */
  switchReason: string | undefined;
  /** Why no part of the targeting can be changed. */
  targetingReason: string | undefined;
}

/** Everything is possible until the server has answered. */
export function useMayChange(project: string, flag: Flag, environment: Environment): MayChange {
  const { data } = useProjects();
  const tags = data?.items.find(({ key }) => key === project)?.tags ?? [];
  const resource = [
    specifier('proj', project, tags),
    specifier('env', environment.key, environment.tags),
    specifier('flag', flag.key, flag.tags),
  ].join(':');
  const may = useMay([REQUEST, SWITCH, ...TARGETING].map((action) => ({ action, resource })));
  if (may === undefined) return { switchReason: undefined, targetingReason: undefined };
  const [mayRequest = false, maySwitch = false, ...mayTarget] = may;
  return {
    switchReason: mayRequest || maySwitch ? undefined : WORDS.needs(SWITCH, resource),
    targetingReason:
      mayRequest || mayTarget.includes(true) ? undefined : WORDS.needs(TARGETING[0]!, resource),
  };
}

/** Policies may name tags. */
function specifier(type: string, key: string, tags: readonly string[]): string {
  return tags.length === 0 ? `${type}/${key}` : `${type}/${key};${tags.join(',')}`;
}
