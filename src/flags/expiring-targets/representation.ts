// Expiring targets as the API shows them, in the current form for contexts and the older form for users.
import { Type, type TSchema } from '../../kernel/schema/schema.ts';
import { Links, linkTo } from '../links.ts';
import type { ExpiringTarget, ResourceKind } from './expiring-target.ts';
import type { TargetListParameter } from './instructions.ts';

/** The keys of the flag or segment and its environment, for links. */
export interface Resource {
  kind: ResourceKind;
  projectKey: string;
  environmentKey: string;
  key: string;
}

const ResourceId = Type.Object(
  {
    kind: Type.String(),
    projectKey: Type.String(),
    environmentKey: Type.String(),
    key: Type.String(),
    flagKey: Type.Optional(Type.String()),
  },
  { $id: 'ResourceId' },
);

const shared = {
  _id: Type.String(),
  _version: Type.Integer(),
  expirationDate: Type.Integer({ description: 'When it is removed, in epoch milliseconds' }),
  variationId: Type.Optional(Type.String()),
  targetType: Type.Optional(Type.String()),
  _resourceId: ResourceId,
  _links: Links,
};

const Target = Type.Object(
  { ...shared, contextKind: Type.String(), contextKey: Type.String() },
  { $id: 'ExpiringTarget' },
);
const UserTarget = Type.Object({ ...shared, userKey: Type.String() }, { $id: 'ExpiringUserTarget' });

function Listed(item: TSchema) {
  return { items: Type.Array(item), totalCount: Type.Integer(), _links: Links };
}

const outcome = {
  totalInstructions: Type.Integer(),
  successfulInstructions: Type.Integer(),
  failedInstructions: Type.Integer(),
  errors: Type.Array(Type.Object({ instructionIndex: Type.Integer(), message: Type.String() })),
};

/** The two forms of the API: for contexts, or for users only. */
export const targetForms = {
  'expiring-targets': {
    List: Type.Object(Listed(Target), { $id: 'ExpiringTargets' }),
    Patched: Type.Object({ ...Listed(Target), ...outcome }, { $id: 'ExpiringTargetPatchResult' }),
  },
  'expiring-user-targets': {
    List: Type.Object(Listed(UserTarget), { $id: 'ExpiringUserTargets' }),
    Patched: Type.Object({ ...Listed(UserTarget), ...outcome }, { $id: 'ExpiringUserTargetPatchResult' }),
  },
};

export type TargetForm = keyof typeof targetForms;

export function toExpiringTargets(
  targets: readonly ExpiringTarget[],
  resource: Resource,
  placeName: TargetListParameter,
  form: TargetForm,
) {
  const { kind, projectKey, environmentKey, key } = resource;
  const isOfUsers = form === 'expiring-user-targets';
  const path = `/${kind}s/${projectKey}/${key}/${form}/${environmentKey}`;
  const items = targets
    .filter(({ contextKind }) => !isOfUsers || contextKind === 'user')
    .map(({ id, version, expiresAt, place, contextKind, contextKey }) => ({
      _id: id,
      _version: version,
      expirationDate: expiresAt,
      ...(isOfUsers ? { userKey: contextKey } : { contextKind, contextKey }),
      [placeName]: place,
      _resourceId: { kind, projectKey, environmentKey, key, ...(kind === 'flag' && { flagKey: key }) },
      _links: { self: linkTo(`${path}?id=${id}`), parent: linkTo(path) },
    }));
  return { items, totalCount: items.length, _links: { self: linkTo(path) } };
}

/** A patch is atomic, so no instruction fails alone. */
export function toOutcome(instructions: readonly unknown[]) {
  return {
    totalInstructions: instructions.length,
    successfulInstructions: instructions.length,
    failedInstructions: 0,
    errors: [],
  };
}
