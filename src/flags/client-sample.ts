// Samples of the flags API by its official client for REST, whose classes have the names of the resources and whose methods those of
// the operations.
import {
  scriptValue,
  type ClientOperation,
  type SampleClient,
} from '../kernel/openapi/reference/client-sample.ts';
import type { SampleCall } from '../kernel/openapi/reference/samples.ts';

/** Resources whose class has another name. */
const CLASSES: Readonly<Record<string, string>> = {
  'Audit log subscriptions': 'IntegrationAuditLogSubscriptionsApi',
  'Context kinds': 'ContextsApi',
  'Expiring targets': 'FeatureFlagsApi',
  'Flag links': 'FlagLinksBetaApi',
  Followers: 'FollowFlagsApi',
  Members: 'AccountMembersApi',
  OpenAPI: 'OtherApi',
  'Segment files': 'SegmentsApi',
};

/** Operations that are in another class than the rest of their resource. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  getContextInstanceSegmentsMembershipByEnv: 'SegmentsApi',
  getDependentFlags: 'FeatureFlagsBetaApi',
  getDependentFlagsByEnv: 'FeatureFlagsBetaApi',
  patchMembers: 'AccountMembersBetaApi',
  patchTeams: 'TeamsBetaApi',
  putContextFlagSetting: 'ContextSettingsApi',
};

/** Operations that the client has no method for, or one that does not take the body. */
const WITHOUT_METHOD: ReadonlySet<string> = new Set([
  'createBigSegmentImport',
  'fireTrigger',
  'getAccount',
  'getApprovalRequestSettings',
  'getBigSegmentExportFile',
  'getContextKind',
  'getFlagLink',
  'getSdkActive',
  'getWebhookDeliveries',
  'getWebhookDelivery',
  'patchApprovalRequest',
  'patchApprovalRequestSettings',
  'patchFlagConfigApprovalRequest',
  'postApprovalRequestApply',
  'postAuditLogEntries',
  'postAuditLogEntriesCounts',
  'postTeamMembers',
  'redeliverWebhook',
  'resetEnvironmentClientSideId',
]);

export const flagsClient: SampleClient = { name: 'launchdarkly-api', write };

function write(operation: ClientOperation, call: SampleCall): string | undefined {
  const group = classOf(operation);
  if (group === undefined) return undefined;
  const values = [...argumentsOf(operation, call), ...(call.body === undefined ? [] : [call.body])];
  return [
    `import { Configuration, ${group} } from "launchdarkly-api-typescript";`,
    '',
    `const api = new ${group}(new Configuration({`,
    `  basePath: ${JSON.stringify(call.publicUrl)},`,
    '  apiKey: process.env.SIGNALBOX_TOKEN,',
    '}));',
    `const { status, data } = await api.${operation.id}(${values.map((value) => scriptValue(value)).join(', ')});`,
    'console.log(status, data);',
  ].join('\n');
}

/** In the order of the path, but that the environment comes before the flag or the segment here. */
function argumentsOf({ id, path }: ClientOperation, { values }: SampleCall): string[] {
  if (id === 'getTriggerWorkflowById' || !/\/(?:triggers|expiring-[a-z-]+)\//.test(path))
    return Object.values(values);
  const { projectKey, environmentKey, ...rest } = values;
  return [projectKey!, environmentKey!, ...Object.values(rest)];
}

function classOf({ id, resource }: ClientOperation): string | undefined {
  if (WITHOUT_METHOD.has(id)) return undefined;
  const usual = `${resource.replaceAll(/ (\w)/g, (_all, letter: string) => letter.toUpperCase())}Api`;
  return ELSEWHERE[id] ?? CLASSES[resource] ?? usual;
}
