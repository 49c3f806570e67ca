// The instructions that set, move and remove the expiry of targets, for flags and segments.
import { Failure } from '../../kernel/failure.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import type { Instruction } from '../patch-body.ts';
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
import type { ExpiringTarget, Owner } from './expiring-target.ts';

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
