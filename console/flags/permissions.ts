// What the person may do with flags and segments, as the API would decide. Controls that can never be used are absent.
import { path, type Call } from '../api/call.ts';
import { useRead } from '../api/read.ts';

/** Of a flag in one environment: what is part of its targeting. */
export const TARGETING_ACTIONS = [
  'updateRules',
  'updateTargets',
  'updateFallthrough',
  'updateOffVariation',
  'updatePrerequisites',
] as const;

/** Of a flag as a whole: what the card of its details changes. */
export const DETAIL_ACTIONS = [
  'updateName',
  'updateDescription',
  'updateTags',
  'updateMaintainer',
  'updateTemporary',
  'updateClientSideFlagAvailability',
] as const;

export const VARIATION_ACTIONS = ['updateFlagVariations', 'updateFlagDefaultVariations'] as const;

const FLAG_ACTIONS = [
  'createFlag',
  ...DETAIL_ACTIONS,
  ...VARIATION_ACTIONS,
  'updateFlagCustomProperties',
  'updateGlobalArchived',
  'updateDeprecated',
  'deleteFlag',
  'createFlagLink',
  'updateFlagLink',
  'deleteFlagLink',
  'updateOn',
  ...TARGETING_ACTIONS,
  'updateTrackEvents',
  'updateFlagFallthroughTrackEvents',
  'updateExpiringTargets',
  'createTriggers',
  'updateTriggers',
  'deleteTriggers',
  'updateScheduledChanges',
  'createApprovalRequest',
] as const;

const SEGMENT_ACTIONS = [
  'createSegment',
  'updateName',
  'updateDescription',
  'updateTags',
  'updateRules',
  'updateIncluded',
  'updateExcluded',
  'deleteSegment',
] as const;

export interface Permissions<Action extends string> {
  /** Where it cannot be asked, everything is shown: each call says by itself what is not allowed. */
  isKnown: boolean;
  /** Whether one of them is allowed; false while it is not known. */
  may(...actions: readonly Action[]): boolean;
  /** What it was asked about, for words. */
  resourceOf(action: Action): string;
}

export type FlagPermissions = Permissions<(typeof FLAG_ACTIONS)[number]>;
export type SegmentAction = (typeof SEGMENT_ACTIONS)[number];
export type SegmentPermissions = Permissions<SegmentAction>;

/** Without a flag: of any that there could be. Without an environment: in any, as for changes of the flag as a whole. */
export function useFlagPermissions(project: string, flag?: string, environment?: string): FlagPermissions {
  return usePermissions(
    { project, kind: 'flag', key: flag, environmentKey: environment, actions: FLAG_ACTIONS },
    project !== '',
  );
}

/** Without a segment: of any that there could be. */
export function useSegmentPermissions(
  project: string,
  environment: string | undefined,
  segment?: string,
): SegmentPermissions {
  return usePermissions(
    { project, kind: 'segment', key: segment, environmentKey: environment, actions: SEGMENT_ACTIONS },
    environment !== undefined && environment !== '',
  );
}

interface PermissionQuestion<Action extends string> {
  project: string;
  kind: 'flag' | 'segment';
  key: string | undefined;
  environmentKey: string | undefined;
  actions: readonly Action[];
}

function usePermissions<Action extends string>(
  { project, ...question }: PermissionQuestion<Action>,
  isEnabled: boolean,
): Permissions<Action> {
  const call: Call = {
    api: 'signalbox',
    method: 'POST',
    path: path`/projects/${project}/permissions`,
    body: question,
  };
  const { data, isError } = useRead<{ answers: { action: string; resource: string; isAllowed: boolean }[] }>(
    { call, topics: ['role', 'member', 'env', 'proj'] },
    { isEnabled },
  );
  const answers = new Map(data?.answers.map((answer) => [answer.action, answer]));
  return {
    isKnown: data !== undefined || isError,
    may: (...actions) =>
      data === undefined ? isError : actions.some((action) => answers.get(action)?.isAllowed === true),
    resourceOf: (action) => answers.get(action)?.resource ?? '',
  };
}
