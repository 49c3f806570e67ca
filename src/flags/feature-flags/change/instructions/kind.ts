// How a kind of instruction is written: its level, the permission it takes, its parameters, and its effect on a flag; with the parameters that several share.
import { areEqual } from '../../../../kernel/json/json-value.ts';
import {
  type Static,
  type TObject,
  PlainText,
  Type,
  misfit,
  problem,
} from '../../../../kernel/schema/schema.ts';
import type { Parameters } from '../../../patch/instructions.ts';
import type { Flag, FlagConfig, Json, Serve } from '../../flag.ts';
import { ContextKey, ContextKind } from '../../../fields.ts';
import { MAX_FLAG_TARGETS, WHOLE } from '../../model.ts';
import { shorten } from '../../../../kernel/json/pointer.ts';
import { USER } from '../../../evaluation/context.ts';

/** The names by which a change refers to other flags, members and teams. */
export interface ReferenceKeys {
  flagKeys: readonly string[];
  memberIds: readonly string[];
  teamKeys: readonly string[];
}

/** The resources that instructions refer to, looked up in the database. */
export interface References {
  /** By key; without their configurations. */
  flags: ReadonlyMap<string, Flag>;
  memberIds: ReadonlySet<string>;
  teamKeys: ReadonlySet<string>;
}

export interface InstructionContext {
  environmentKey?: string;
  now: number;
  newUuid(): string;
  references: References;
}

/** The flag is as the instructions before this one left it. */
export interface InstructionScope extends InstructionContext {
  flag: Flag;
}

export interface FlagKindRow {
  /** For one environment, which the patch must name, or for all at once. */
  level: 'environment' | 'flag';
  /** The action of policies that it takes. */
  action: string;
  /** The effect, for the documentation. */
  summary: string;
  parameters: Parameters;
  /** The parameters have been checked. Returns the same flag when nothing changes. */
  apply(scope: InstructionScope, parameters: never): Flag;
}

type Values<P extends Parameters> = Static<TObject<P>>;
type KindText<P extends Parameters> = Pick<FlagKindRow, 'action' | 'summary'> & { parameters: P };

/** A kind that changes the configuration in one environment. */
export function inEnvironment<P extends Parameters>(
  text: KindText<P>,
  change: (config: FlagConfig, values: Values<P>, scope: InstructionScope) => FlagConfig,
): FlagKindRow {
  return {
    level: 'environment',
    ...text,
    apply(scope, values: Values<P>) {
      const { flag, environmentKey = '' } = scope;
      const before = flag.environments[environmentKey]!;
      const after = change(before, values, scope);
      if (isSame(before, after)) return flag;
      return { ...flag, environments: { ...flag.environments, [environmentKey]: after } };
    },
  };
}

/** A kind that changes what is the same in all environments. */
export function onFlag<P extends Parameters>(
  text: KindText<P>,
  change: (flag: Flag, values: Values<P>, scope: InstructionScope) => Flag,
): FlagKindRow {
  return {
    level: 'flag',
    ...text,
    apply(scope, values: Values<P>) {
      const after = change(scope.flag, values, scope);
      return isSame(scope.flag, after) ? scope.flag : after;
    },
  };
}

/** Members that are the same object need no comparison. */
function isSame<Thing extends object>(before: Thing, after: Thing): boolean {
  const names = Object.keys({ ...before, ...after }) as (keyof Thing)[];
  return names.every((name) => before[name] === after[name] || areEqual(before[name], after[name]));
}

/** Sets the member, or removes it when the text is empty or undefined. */
export function withText<Thing extends object>(
  thing: Thing,
  member: string,
  text: string | undefined,
): Thing {
  const { [member]: _, ...rest } = thing as Record<string, unknown>;
  return (text === undefined || text === '' ? rest : { ...rest, [member]: text }) as Thing;
}

export const VariationId = Type.String({ minLength: 1, maxLength: 64 });

export const Keys = Type.Array(ContextKey, { maxItems: MAX_FLAG_TARGETS });

/** Any JSON. */
export const VariationValue = Type.Unsafe<Json>({});

/** Either one variation or a rollout. */
export const ServeInput = {
  variationId: Type.Optional(VariationId),
  rolloutWeights: Type.Optional(
    Type.Unsafe<Record<string, number>>(
      Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: WHOLE }), {
        description: `Thousandths of a percent by the ID of the variation; ${WHOLE} together`,
      }),
    ),
  ),
  rolloutBucketBy: Type.Optional(PlainText({ minLength: 1, maxLength: 1000 })),
  rolloutContextKind: Type.Optional(ContextKind),
};

export function readServe(flag: Flag, input: Static<TObject<typeof ServeInput>>): Serve {
  const { variationId, rolloutWeights, rolloutBucketBy, rolloutContextKind } = input;
  if (rolloutWeights === undefined) {
    if (variationId === undefined) throw misfit('variationId', 'or rolloutWeights is required');
    if (rolloutBucketBy !== undefined) throw misfit('rolloutBucketBy', 'needs rolloutWeights');
    if (rolloutContextKind !== undefined) throw misfit('rolloutContextKind', 'needs rolloutWeights');
    return { variation: findVariation(flag, variationId) };
  }
  if (variationId !== undefined) throw problem('variationId', 'cannot be given together with rolloutWeights');
  const variations = Object.entries(rolloutWeights)
    .map(([id, weight]) => ({ variation: findVariation(flag, id, 'rolloutWeights'), weight }))
    // Buckets are assigned in this order, which must not depend on the order of members in the JSON of the request.
    .toSorted((a, b) => a.variation - b.variation);
  const sum = variations.reduce((total, { weight }) => total + weight, 0);
  if (sum !== WHOLE) throw problem('rolloutWeights', `must make ${WHOLE} together, not ${sum}`);
  return {
    rollout: {
      variations,
      ...(rolloutBucketBy !== undefined && { bucketBy: rolloutBucketBy }),
      contextKind: rolloutContextKind ?? USER,
    },
  };
}

/** The index of the variation. */
export function findVariation({ variations }: Flag, id: string, parameter = 'variationId'): number {
  const index = variations.findIndex(({ _id }) => _id === id);
  if (index < 0) throw problem(parameter, `names no variation: ${shorten(id)}`);
  return index;
}
