// A valid call for every route of the flag service that writes, and the least role that may make it.
import type { CallInit } from '../../server.ts';
import { SEMANTIC, type SampleResources } from './sample-resources.ts';

export type Role = 'no_access' | 'reader' | 'writer' | 'admin';

export interface Write {
  least: Role;
  init(samples: SampleResources, round: string): CallInit;
  query?: string;
  /** The status for permitted callers, if the samples lack a resource that the call needs. */
  status?: number;
}

const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const json = (
  least: Role,
  body: (samples: SampleResources, round: string) => unknown,
  status?: number,
): Write => ({
  least,
  init: (samples, round) => ({ body: body(samples, round) }),
  ...(status !== undefined && { status }),
});
const semantic = (
  least: Role,
  instruction: (samples: SampleResources, round: string) => object,
  { environmentKey }: { environmentKey?: string } = {},
): Write => ({
  least,
  init: (samples, round) => ({
    headers: SEMANTIC,
    body: { instructions: [instruction(samples, round)], ...(environmentKey && { environmentKey }) },
  }),
});
const bare = (least: Role, status?: number): Write => ({
  least,
  init: () => ({}),
  ...(status !== undefined && { status }),
});

const BOUNDARY = 'as-long-as-browsers-make-them';
const rule = { effect: 'allow', actions: ['*'], resources: ['proj/*'] };
const change = { description: 'walked', instructions: [{ kind: 'turnFlagOn' }] };
const defaults = {
  tags: [],
  temporary: true,
  booleanDefaults: {
    trueDisplayName: 'Yes',
    falseDisplayName: 'No',
    trueDescription: '',
    falseDescription: '',
    onVariation: 0,
    offVariation: 1,
  },
  defaultClientSideAvailability: { usingMobileKey: false, usingEnvironmentId: false },
};

/** By route id. Deletions come last, so that the samples are complete for all others. */
export const WRITES: Record<string, Write> = {
  postToken: json('reader', () => ({ name: 'walked', role: 'reader' })),
  patchToken: json('admin', () => replace('/name', 'walked')),
  resetToken: bare('admin'),
  patchMember: json('admin', () => replace('/role', 'writer')),
  postMembers: json('admin', (_, round) => [{ email: `new-${round}@example.com`, role: 'reader' }]),
  patchMembers: semantic('admin', ({ ids }) => ({
    kind: 'replaceMembersRoles',
    value: 'admin',
    memberIDs: [ids['members']],
  })),
  postTeamMembers: {
    least: 'admin',
    init: ({ parameters }) => ({
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="m.csv"\r\n\r\n${parameters['projectKey']}@example.com\r\n--${BOUNDARY}--\r\n`,
    }),
  },
  postMemberTeams: json('admin', ({ parameters }) => ({ teamKeys: [parameters['teamKey']] })),
  postTeam: json('admin', (_, round) => ({ key: `new-${round}`, name: 'New' })),
  patchTeam: semantic('admin', () => ({ kind: 'updateName', value: 'Walked' })),
  patchTeams: semantic('admin', ({ ids, parameters }) => ({
    kind: 'addMembersToTeams',
    memberIDs: [ids['members']],
    teamKeys: [parameters['teamKey']],
  })),
  postCustomRole: json('admin', (_, round) => ({ key: `new-${round}`, name: 'New', policy: [rule] })),
  patchCustomRole: json('admin', () => replace('/name', 'Walked')),
  postProject: json('writer', (_, round) => ({ key: `new-${round}`, name: 'New' })),
  patchProject: json('writer', () => replace('/name', 'Walked')),
  putFlagDefaultsByProject: json('writer', () => defaults),
  patchFlagDefaultsByProject: json('writer', () => replace('/temporary', false)),
  postEnvironment: json('writer', () => ({ key: 'staging', name: 'Staging', color: 'abcdef' })),
  patchEnvironment: json('writer', () => replace('/name', 'Walked')),
  resetEnvironmentSDKKey: bare('writer'),
  resetEnvironmentMobileKey: bare('writer'),
  resetEnvironmentClientSideId: bare('writer'),
  postFeatureFlag: json('writer', () => ({ key: 'new', name: 'New' })),
  patchFeatureFlag: semantic('writer', () => ({ kind: 'turnFlagOn' }), { environmentKey: 'test' }),
  copyFeatureFlag: json('writer', () => ({ source: { key: 'test' }, target: { key: 'production' } })),
  patchExpiringTargets: semantic('writer', () => ({
    kind: 'removeExpiringTarget',
    contextKey: 'a',
    contextKind: 'user',
    variationId: 'none',
  })),
  patchExpiringUserTargets: semantic('writer', () => ({
    kind: 'removeExpireUserTargetDate',
    userKey: 'a',
    variationId: 'none',
  })),
  postSegment: json('writer', () => ({ key: 'new', name: 'New' })),
  patchSegment: json('writer', () => replace('/name', 'Walked')),
  updateBigSegmentContextTargets: json('writer', () => ({ included: { add: ['a'] } })),
  updateBigSegmentTargets: json('writer', () => ({ included: { add: ['a'] } })),
  patchExpiringTargetsForSegment: semantic('writer', () => ({
    kind: 'removeExpiringTarget',
    contextKey: 'a',
    contextKind: 'user',
    targetType: 'included',
  })),
  patchExpiringUserTargetsForSegment: semantic('writer', () => ({
    kind: 'removeExpireUserTargetDate',
    userKey: 'a',
    targetType: 'included',
  })),
  createBigSegmentImport: {
    least: 'writer',
    init: () => ({
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="k.csv"\r\n\r\nsomeone\r\n--${BOUNDARY}--\r\n`,
    }),
  },
  createBigSegmentExport: bare('reader'),
  putContextKind: json('writer', (_, round) => ({ name: `Walked ${round}` })),
  evaluateContextInstance: json('reader', () => ({ kind: 'user', key: 'a' })),
  getContextInstanceSegmentsMembershipByEnv: json('reader', () => ({ kind: 'user', key: 'a' })),
  putContextFlagSetting: json('writer', () => ({ setting: true })),
  postApprovalRequest: json('writer', ({ parameters: { projectKey, featureFlagKey } }) => ({
    resourceId: `proj/${projectKey}:env/test:flag/${featureFlagKey}`,
    ...change,
  })),
  postApprovalRequestForFlag: json('writer', () => change),
  postFlagCopyConfigApprovalRequest: json('writer', () => ({
    description: 'walked',
    source: { key: 'production' },
  })),
  patchApprovalRequest: semantic('writer', () => ({ kind: 'updateDescription', value: 'Walked' })),
  patchFlagConfigApprovalRequest: semantic('writer', () => ({ kind: 'updateDescription', value: 'Walked' })),
  patchApprovalRequestSettings: json('admin', () => ({
    environmentKey: 'test',
    resourceKind: 'flag',
    canReviewOwnRequest: true,
  })),
  postApprovalRequestReview: json('writer', () => ({ kind: 'comment', comment: 'walked' })),
  postApprovalRequestReviewForFlag: json('writer', () => ({ kind: 'comment', comment: 'walked' })),
  // The request has no approval.
  postApprovalRequestApply: json('writer', () => ({}), 400),
  postApprovalRequestApplyForFlag: json('writer', () => ({}), 400),
  postFlagConfigScheduledChanges: json('writer', () => ({
    executionDate: Date.now() + 3_600_000,
    instructions: change.instructions,
  })),
  patchFlagConfigScheduledChange: semantic('writer', () => ({
    kind: 'updateScheduledChangesExecutionDate',
    value: Date.now() + 7_200_000,
  })),
  createTriggerWorkflow: json('writer', () => ({
    integrationKey: 'generic-trigger',
    instructions: change.instructions,
  })),
  patchTriggerWorkflow: semantic('writer', () => ({ kind: 'cycleTriggerUrl' })),
  putFlagFollower: bare('writer'),
  createFlagLink: json('writer', () => ({ deepLink: 'https://example.com/walked' })),
  updateFlagLink: json('writer', () => replace('/title', 'Walked')),
  // Everyone has an audit log of what they may see.
  postAuditLogEntries: json('no_access', () => []),
  postAuditLogEntriesCounts: { ...bare('no_access'), query: '?after=0' },
  postWebhook: json('writer', () => ({ url: 'https://example.com/new', sign: false, on: false })),
  patchWebhook: json('writer', () => replace('/name', 'Walked')),
  redeliverWebhook: bare('writer', 404),
  createSubscription: json('writer', () => ({
    name: 'New',
    config: { 'base-url': 'https://splunk.example', token: 'new' },
  })),
  updateSubscription: json('writer', () => replace('/name', 'Walked')),
  postRepository: json('writer', (_, round) => ({ name: `new-${round}` })),
  patchRepository: json('writer', () => replace('/sourceLink', 'https://example.com/walked')),
  putBranch: json('writer', () => ({ name: 'main', head: 'b', syncTime: 2 })),
  postExtinction: json('writer', ({ parameters: { projectKey, featureFlagKey } }) => [
    { revision: 'b', message: 'walked', time: 2, projKey: projectKey, flagKey: featureFlagKey },
  ]),
  deleteBranches: json('writer', () => ['other']),
  postRelayAutoConfig: json('writer', () => ({ name: 'New', policy: [rule] })),
  patchRelayAutoConfig: json('writer', () => replace('/name', 'Walked')),
  resetRelayAutoConfig: bare('writer'),

  deleteApprovalRequest: bare('writer'),
  deleteApprovalRequestForFlag: bare('writer', 404), // the same request, which is deleted by now
  deleteFlagConfigScheduledChanges: bare('writer'),
  deleteTriggerWorkflow: bare('writer'),
  deleteFlagFollower: bare('writer'),
  deleteFlagLink: bare('writer'),
  deleteSegment: bare('writer'),
  deleteFeatureFlag: bare('writer'),
  deleteEnvironment: bare('writer'),
  deleteProject: bare('writer'),
  deleteWebhook: bare('writer'),
  deleteSubscription: bare('writer'),
  deleteRepository: bare('writer'),
  deleteRelayAutoConfig: bare('writer'),
  deleteToken: bare('admin'),
  deleteTeam: bare('admin'),
  deleteMember: bare('admin'),
  deleteCustomRole: bare('admin'),
};

/** Routes that take only instructions do not need the content type of semantic patches. */
export const ONLY_INSTRUCTIONS = new Set([
  'patchTeam',
  'patchTeams',
  'patchMembers',
  'patchTriggerWorkflow',
  'patchExpiringTargets',
  'patchExpiringUserTargets',
  'patchExpiringTargetsForSegment',
  'patchExpiringUserTargetsForSegment',
  'patchFlagConfigScheduledChange',
  'patchApprovalRequest',
  'patchFlagConfigApprovalRequest',
]);
