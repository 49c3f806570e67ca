// Expiring targets of flags and segments: contexts that are targets up to a given time, as the API shows them, and the instructions that change them.
import { Failure } from '../../kernel/failure.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import type { Instruction } from '../patch/patch.ts';
import { problem, Type, type TSchema } from '../../kernel/schema/schema.ts';
import {
  toKinds,
  readKind,
  type CheckedKind,
  type Parameters,
  inInstruction,
  requireFewInstructions,
} from '../patch/instructions.ts';
import { ContextKey, ContextKind, Instant } from '../fields.ts';
import { Links, linkTo } from '../links.ts';

export type ResourceKind = 'flag' | 'segment';

/** The flag or segment, in one environment. */
export interface Owner {
  resourceKind: ResourceKind;
  resourceId: string;
  environmentId: string;
}

export interface ExpiringTarget extends Owner {
  id: string;
  /** The ID of a variation, or `included` or `excluded`. A context has one expiry per flag or segment. */
  place: string;
  contextKind: string;
  contextKey: string;
  expiresAt: number;
  version: number;
}

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

/** The parameter that names the list of targets: a variation, or `included` and `excluded`. */
export type TargetListParameter = 'variationId' | 'targetType';

export interface ExpiringKind extends CheckedKind {
  does: 'add' | 'update' | 'remove';
}

export interface ExpiringContext {
  owner: Owner;
  kinds: ReadonlyMap<string, ExpiringKind>;
  placeName: TargetListParameter;
  /** Whether the context is a target there, so that it can expire. */
  isTargeted(place: string, contextKind: string, contextKey: string): boolean;
  newId(): string;
  now: number;
}

interface WantedExpiry {
  place: string;
  contextKind: string;
  contextKey: string;
  value: number;
  version?: number;
}

/** The kinds for flags or for segments, with the older kinds for users only. */
export function expiringKinds(placeName: TargetListParameter, Place: TSchema): Map<string, ExpiringKind> {
  const context = { [placeName]: Place, contextKey: ContextKey, contextKind: Type.Optional(ContextKind) };
  const user = { [placeName]: Place, userKey: ContextKey };
  const date = { value: Instant('When to remove the target, in epoch milliseconds') };
  const version = {
    version: Type.Optional(Type.Integer({ description: 'Fails unless it is of this version' })),
  };
  const kind = (does: ExpiringKind['does'], summary: string, parameters: Parameters) => ({
    does,
    summary,
    parameters,
  });
  return toKinds(`${placeName === 'variationId' ? 'Flag' : 'Segment'}ExpiringInstruction`, {
    addExpiringTarget: kind('add', 'Sets when a target expires', { ...context, ...date }),
    updateExpiringTarget: kind('update', 'Changes when a target expires', {
      ...context,
      ...date,
      ...version,
    }),
    removeExpiringTarget: kind('remove', 'Lets a target stay for good', context),
    addExpireUserTargetDate: kind('add', 'Sets when a user expires', { ...user, ...date }),
    updateExpireUserTargetDate: kind('update', 'Changes when a user expires', {
      ...user,
      ...date,
      ...version,
    }),
    removeExpireUserTargetDate: kind('remove', 'Lets a user stay for good', user),
  });
}

/** Throws for the first instruction that cannot be applied, and names it. Returns the same list when nothing changes. */
export function applyExpiringInstructions(
  before: readonly ExpiringTarget[],
  instructions: readonly Instruction[],
  context: ExpiringContext,
): readonly ExpiringTarget[] {
  requireFewInstructions(instructions);
  return instructions.reduce(
    (list, instruction, index) => inInstruction(index, instruction, () => apply(list, instruction, context)),
    before,
  );
}

function apply(list: readonly ExpiringTarget[], instruction: Instruction, context: ExpiringContext) {
  const kind = readKind(context.kinds, 'expiring targets', instruction);
  const wanted = readWantedExpiry(instruction, context.placeName);
  const index = list.findIndex(
    ({ contextKind, contextKey }) => contextKind === wanted.contextKind && contextKey === wanted.contextKey,
  );
  const found = list[index];
  const known = found?.place === wanted.place ? found : undefined;
  if (kind.does === 'remove') return known === undefined ? list : list.toSpliced(index, 1);

  const { place, contextKind, contextKey, value, version } = wanted;
  if (known?.expiresAt === value && (version ?? known.version) === known.version) return list;
  if (value <= context.now) throw problem('value', 'must be in the future');
  if (kind.does === 'update') {
    if (known === undefined) throw problem('contextKey', `names no expiring target: ${shorten(contextKey)}`);
    if ((version ?? known.version) !== known.version) {
      const message = `version is ${version}, and the expiring target has version ${known.version}`;
      throw new Failure('conflict', message);
    }
    return list.with(index, { ...known, expiresAt: value, version: known.version + 1 });
  }
  if (!context.isTargeted(place, contextKind, contextKey)) {
    throw problem('contextKey', `names no ${contextKind} that is a target there: ${shorten(contextKey)}`);
  }
  const added = {
    ...context.owner,
    id: context.newId(),
    place,
    contextKind,
    contextKey,
    expiresAt: value,
    version: 1,
  };
  if (found === undefined) return [...list, added];
  throw problem('contextKey', `names a target that expires already; update it: ${shorten(contextKey)}`);
}

function readWantedExpiry(instruction: Instruction, placeName: TargetListParameter): WantedExpiry {
  const { userKey, contextKey = userKey, contextKind = 'user', ...rest } = instruction;
  return { ...rest, contextKey, contextKind, place: instruction[placeName] } as unknown as WantedExpiry;
}
