// Expiring targets as the API shows them, in the words of contexts or in the older ones of users.
import { Type, type TSchema } from '../../kernel/schema.ts';
import { Links, linkTo } from '../links.ts';
import type { ExpiringTarget, ResourceKind } from './expiring-target.ts';
import type { PlaceName } from './instructions.ts';

/** Whose targets they are, by keys. */
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

/** The two ways to tell: by context, or by user alone. */
export const tellings = {
  'expiring-targets': {
    List: Type.Object(Listed(Target), { $id: 'ExpiringTargets' }),
    Patched: Type.Object({ ...Listed(Target), ...outcome }, { $id: 'ExpiringTargetPatchResult' }),
  },
  'expiring-user-targets': {
    List: Type.Object(Listed(UserTarget), { $id: 'ExpiringUserTargets' }),
    Patched: Type.Object({ ...Listed(UserTarget), ...outcome }, { $id: 'ExpiringUserTargetPatchResult' }),
  },
};

export type Telling = keyof typeof tellings;

export function toExpiringTargets(
  targets: readonly ExpiringTarget[],
  resource: Resource,
  placeName: PlaceName,
  telling: Telling,
) {
  const { kind, projectKey, environmentKey, key } = resource;
  const isOfUsers = telling === 'expiring-user-targets';
  const items = targets
    .filter(({ contextKind }) => !isOfUsers || contextKind === 'user')
    .map(({ id, version, expiresAt, place, contextKind, contextKey }) => ({
      _id: id,
      _version: version,
      expirationDate: expiresAt,
      ...(isOfUsers ? { userKey: contextKey } : { contextKind, contextKey }),
      [placeName]: place,
      _resourceId: { kind, projectKey, environmentKey, key, ...(kind === 'flag' && { flagKey: key }) },
    }));
  const self = linkTo(`/${kind}s/${projectKey}/${key}/${telling}/${environmentKey}`);
  return { items, totalCount: items.length, _links: { self } };
}

/** Nothing fails but all together: a patch is atomic. */
export function toOutcome(instructions: readonly unknown[]) {
  return {
    totalInstructions: instructions.length,
    successfulInstructions: instructions.length,
    failedInstructions: 0,
    errors: [],
  };
}
