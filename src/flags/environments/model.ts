// The representation of environments, and the rules for creating and patching them.
import type { Call } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { Key, Name, Tags, normalizeTags } from '../fields.ts';
import { Link, Links, linkTo, siteTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { actionsOf, changedFields, type FieldChange } from '../projects/field-changes.ts';
import type { Environment, NewEnvironment, Project } from '../projects/project.ts';
import { environmentResource } from '../policy/resources.ts';
import {
  ApprovalSettingsRep,
  readApprovalSettings,
  SETTINGS_POINTER,
  defaultApprovalSettings,
  ApprovalSettingsInput,
} from './approval-settings.ts';

const Color = Type.String({
  pattern: '^([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$',
  description: 'Hexadecimal, without a #',
});

const OPTIONAL = {
  defaultTtl: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60, description: 'Minutes for which PHP SDKs keep what they read' }),
  ),
  secureMode: Type.Optional(
    Type.Boolean({ description: 'Browsers have to prove whom they ask about by a hash' }),
  ),
  defaultTrackEvents: Type.Optional(Type.Boolean({ description: 'For new flags' })),
  confirmChanges: Type.Optional(Type.Boolean()),
  requireComments: Type.Optional(Type.Boolean()),
  critical: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Tags),
};

export const EnvironmentPost = Type.Object(
  {
    key: Key(),
    name: Name,
    color: Color,
    ...OPTIONAL,
    source: Type.Optional(
      Type.Object(
        { key: Type.Optional(Key()), version: Type.Optional(Type.Integer()) },
        {
          description: 'The environment whose flag configurations are copied; its version, to be sure of it',
        },
      ),
    ),
  },
  { $id: 'EnvironmentPost' },
);

export const EnvironmentRep = Type.Object(
  {
    _id: Type.String({ description: 'The client-side ID' }),
    _links: Links,
    _site: Link,
    _version: Type.Integer(),
    key: Type.String(),
    name: Type.String(),
    apiKey: Type.String({
      description: 'The SDK key; its last four characters for callers without viewSdkKey',
    }),
    mobileKey: Type.String(),
    color: Type.String(),
    defaultTtl: Type.Integer(),
    secureMode: Type.Boolean(),
    defaultTrackEvents: Type.Boolean(),
    requireComments: Type.Boolean(),
    confirmChanges: Type.Boolean(),
    critical: Type.Boolean(),
    tags: Tags,
    approvalSettings: ApprovalSettingsRep,
    resourceApprovalSettings: Type.Optional(Type.Object({ segment: Type.Optional(ApprovalSettingsRep) })),
  },
  { $id: 'Environment' },
);

/** Masks all but the last four characters. */
function maskKey(key: string): string {
  return key.slice(-4).padStart(key.length, '*');
}

export function toEnvironment(project: Pick<Project, 'key'>, environment: Environment, seesKeys: boolean) {
  const { clientId, version, key, name, sdkKey, mobileKey, resourceApprovalSettings } = environment;
  const parent = `/projects/${project.key}`;
  const self = `${parent}/environments/${key}`;
  return {
    _id: clientId,
    _links: {
      self: linkTo(self),
      parent: linkTo(parent),
      apiKey: linkTo(`${self}/apiKey`),
      mobileKey: linkTo(`${self}/mobileKey`),
      clientSideId: linkTo(`${self}/clientSideId`),
    },
    _site: siteTo(`/console/environments/${project.key}?env=${key}`),
    _version: version,
    key,
    name,
    apiKey: seesKeys ? sdkKey : maskKey(sdkKey),
    mobileKey: seesKeys ? mobileKey : maskKey(mobileKey),
    color: environment.color,
    defaultTtl: environment.defaultTtl,
    secureMode: environment.secureMode,
    defaultTrackEvents: environment.defaultTrackEvents,
    requireComments: environment.requireComments,
    confirmChanges: environment.confirmChanges,
    critical: environment.critical,
    tags: environment.tags,
    approvalSettings: environment.approvalSettings,
    ...(resourceApprovalSettings !== undefined && { resourceApprovalSettings }),
  };
}

/** Keys are masked for callers who may not see them. */
export function showEnvironment(call: Pick<Call, 'can'>, project: Project, environment: Environment) {
  const seesKeys = call.can(environmentResource(project, environment), 'viewSdkKey');
  return toEnvironment(project, environment, seesKeys);
}

/**
 * Masks the environment's keys in a value for the audit log: a patch may contain them, for example in a `test`
 * operation.
 */
export function maskKeysIn<Value>(value: Value, { sdkKey, mobileKey }: Environment): Value {
  const text = JSON.stringify(value)
    .replaceAll(sdkKey, maskKey(sdkKey))
    .replaceAll(mobileKey, maskKey(mobileKey));
  return JSON.parse(text) as Value;
}

export function readEnvironmentPost(post: Static<typeof EnvironmentPost>, projectId: string): NewEnvironment {
  const { key, name, color } = post;
  return { projectId, key, name, color, ...readOptional(post), approvalSettings: defaultApprovalSettings() };
}

/** The environments of a new project if the request names none. */
export const DEFAULT_ENVIRONMENTS: readonly Static<typeof EnvironmentPost>[] = [
  { key: 'production', name: 'Production', color: '2f7d4f' },
  { key: 'test', name: 'Test', color: 'd9822b' },
];

type Optional = Partial<
  Pick<
    Environment,
    | 'defaultTtl'
    | 'secureMode'
    | 'defaultTrackEvents'
    | 'confirmChanges'
    | 'requireComments'
    | 'critical'
    | 'tags'
  >
>;

function readOptional(given: Optional): Required<Optional> {
  return {
    defaultTtl: given.defaultTtl ?? 0,
    secureMode: given.secureMode ?? false,
    defaultTrackEvents: given.defaultTrackEvents ?? false,
    confirmChanges: given.confirmChanges ?? false,
    requireComments: given.requireComments ?? false,
    critical: given.critical ?? false,
    tags: normalizeTags(given.tags ?? []),
  };
}

const FIELDS = {
  name: { action: 'updateName', words: 'name' },
  color: { action: 'updateColor', words: 'color' },
  defaultTtl: { action: 'updateTtl', words: 'time to live' },
  secureMode: { action: 'updateSecureMode', words: 'secure mode' },
  defaultTrackEvents: { action: 'updateDefaultTrackEvents', words: 'tracking of events by default' },
  requireComments: { action: 'updateRequireComments', words: 'need of comments' },
  confirmChanges: { action: 'updateConfirmChanges', words: 'need of confirmation' },
  critical: { action: 'updateCritical', words: 'criticality' },
  tags: { action: 'updateTags', words: 'tags' },
  approvalSettings: { action: 'updateApprovalSettings', words: 'approval settings' },
  resourceApprovalSettings: {
    action: 'updateApprovalSettings',
    words: 'approval settings of other resources',
  },
};

export const ENVIRONMENT_ACTIONS = actionsOf(FIELDS);

const edit = editor({
  nullable: (pointer) => pointer.endsWith('/requiredApprovalTags'),
  editable: Type.Object({
    name: Name,
    color: Color,
    ...OPTIONAL,
    approvalSettings: Type.Optional(ApprovalSettingsInput),
    resourceApprovalSettings: Type.Optional(
      Type.Object({ segment: Type.Optional(ApprovalSettingsInput) }, { additionalProperties: false }),
    ),
  }),
  optional(pointer) {
    const [, place, inside] =
      /^\/(approvalSettings|resourceApprovalSettings\/segment)(.*)$/.exec(pointer) ?? [];
    if (place === undefined || inside === undefined) return false;
    return inside === '' || SETTINGS_POINTER.test(inside);
  },
});

/**
 * The environment after the patch, and the changed fields. The patch applies to what the caller sees: a masked key
 * stays masked.
 */
export function patchEnvironment(
  project: Project,
  environment: Environment,
  patch: DocumentPatch,
  seesKeys: boolean,
): { after: Environment; changes: FieldChange[] } {
  const wanted = edit(toEnvironment(project, environment, seesKeys), patch);
  const { resourceApprovalSettings: _before, ...kept } = environment;
  const { segment } = wanted.resourceApprovalSettings ?? {};
  const after: Environment = {
    ...kept,
    name: wanted.name,
    color: wanted.color,
    ...readOptional(wanted),
    approvalSettings: readApprovalSettings(wanted.approvalSettings, 'approvalSettings'),
    ...(segment !== undefined && {
      resourceApprovalSettings: {
        segment: readApprovalSettings(segment, 'resourceApprovalSettings.segment'),
      },
    }),
  };
  return { after, changes: changedFields(FIELDS, environment, after) };
}
