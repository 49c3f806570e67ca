// Contexts of OpenFeature as OFREP reads them, and the representation of an evaluated flag, with the reason in the words of OpenFeature.
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { FlagData, ServeData } from '../evaluation/data.ts';
import type { EvaluationResult, Reason } from '../evaluation/run.ts';
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { shorten } from '../../kernel/json/pointer.ts';
import { readContext, USER, type Context } from '../evaluation/context.ts';
import type { OfrepErrorCode } from './failures.ts';

export const EvaluationRequest = Type.Object(
  {
    context: Type.Optional(
      Type.Unknown({
        description:
          'A `targetingKey`, optionally a `kind`, and any attributes; or, with the kind `multi`, a field for each kind with such an object',
      }),
    ),
  },
  { $id: 'EvaluationRequest' },
);

const Metadata = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

export const FlagEvaluation = Type.Object(
  {
    key: Type.String(),
    value: Type.Optional(Type.Unknown({ description: 'Absent where the default value in the code applies' })),
    reason: Type.String({
      description: '`STATIC`, `DEFAULT`, `TARGETING_MATCH`, `SPLIT` or `DISABLED`',
    }),
    variant: Type.Optional(Type.String({ description: 'The index of the variation' })),
    metadata: Metadata,
  },
  { $id: 'FlagEvaluation' },
);

const FailedEvaluation = Type.Object(
  { key: Type.String(), errorCode: Type.String(), errorDetails: Type.String() },
  { $id: 'FailedEvaluation' },
);

export const BulkEvaluation = Type.Object(
  {
    flags: Type.Array(Type.Union([FlagEvaluation, FailedEvaluation])),
    metadata: Metadata,
    eventStreams: Type.Array(
      Type.Object({
        type: Type.Literal('sse'),
        endpoint: Type.Object({
          requestUri: Type.String({ description: 'Below the origin of this server' }),
        }),
        inactivityDelaySec: Type.Integer(),
      }),
    ),
  },
  { $id: 'BulkEvaluation' },
);

type OpenFeatureReason = 'STATIC' | 'DEFAULT' | 'TARGETING_MATCH' | 'SPLIT' | 'DISABLED';

export type FlagOutcome =
  | Static<typeof FlagEvaluation>
  | (Static<typeof FailedEvaluation> & { errorCode: OfrepErrorCode });

/** With `hidesReason` the reason names a flag that the caller may not see. */
export function toFlagOutcome(
  data: FlagData,
  { value, variationIndex, reason }: EvaluationResult,
  hidesReason: boolean,
): FlagOutcome {
  const { key } = data;
  if (reason.kind === 'ERROR') {
    return { key, errorCode: 'GENERAL', errorDetails: `The flag "${key}" is not configured correctly.` };
  }
  return {
    key,
    // Without a variation the code's own default applies, which the absence of the value says.
    ...(variationIndex !== undefined && { value, variant: String(variationIndex) }),
    reason: toOpenFeatureReason(data, reason),
    metadata: { flagVersion: data.version, ...describeReason(reason, hidesReason) },
  };
}

function toOpenFeatureReason(data: FlagData, reason: Exclude<Reason, { kind: 'ERROR' }>): OpenFeatureReason {
  switch (reason.kind) {
    case 'OFF':
    // A failed prerequisite serves the off variation: for this context the flag is disabled by another one.
    case 'PREREQUISITE_FAILED':
      return 'DISABLED';
    case 'TARGET_MATCH':
      return 'TARGETING_MATCH';
    case 'RULE_MATCH':
      return isRollout(data.rules[reason.ruleIndex]!) ? 'SPLIT' : 'TARGETING_MATCH';
    default:
      if (isRollout(data.fallthrough)) return 'SPLIT';
      return isStatic(data) ? 'STATIC' : 'DEFAULT';
  }
}

function isRollout({ variation, rollout }: ServeData): boolean {
  return variation === undefined && rollout !== undefined;
}

/**
 * `STATIC` says that no context would have got another value, so that clients may cache it for all of them. A flag that
 * looks at the context without finding a match has `DEFAULT`: a dynamic evaluation that yielded no result.
 */
function isStatic({ prerequisites, targets, contextTargets, rules }: FlagData): boolean {
  return [prerequisites, targets, contextTargets, rules].every(({ length }) => length === 0);
}

/** The reason in this server's own words, which are more precise. */
function describeReason(reason: Reason, hidesFlag: boolean): Static<typeof Metadata> {
  return {
    reasonKind: reason.kind,
    ...(reason.kind === 'RULE_MATCH' && { ruleId: reason.ruleId }),
    ...(reason.kind === 'PREREQUISITE_FAILED' && !hidesFlag && { prerequisiteKey: reason.prerequisiteKey }),
    ...('inExperiment' in reason && { inExperiment: true }),
  };
}

/**
 * A context is a user unless it has a `kind`. With the kind `multi` each field is a context of its own, with a targeting
 * key or a `key`; a targeting key beside them has no meaning, and is ignored because some SDKs always send one.
 */
export function readOpenFeatureContext(given: unknown): Context {
  if (given === undefined || given === null) throw missingKey('targetingKey');
  if (!isObject(given))
    throw broken('INVALID_CONTEXT', 'The context is not valid: it must be a JSON object.');
  const { targetingKey, kind = USER, ...rest } = given;
  try {
    if (kind === 'multi') return readContext({ kind, ...toParts(rest) });
    return readContext({ ...rest, kind, key: checkKey(targetingKey, 'targetingKey') });
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== undefined) throw error;
    throw broken('INVALID_CONTEXT', error.message);
  }
}

function toParts(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([kind, part]) => {
      if (!isObject(part)) return [kind, part];
      const { targetingKey, key, ...rest } = part;
      return [kind, { ...rest, key: checkKey(targetingKey ?? key, `${shorten(kind)}.targetingKey`) }];
    }),
  );
}

/** A key that is there but no text is an invalid context, for `readContext` to say. */
function checkKey(key: unknown, field: string): unknown {
  if (key === undefined || key === null || key === '') throw missingKey(field);
  return key;
}

function missingKey(field: string): Failure {
  return broken(
    'TARGETING_KEY_MISSING',
    `The context needs a key: ${field} must be a text that is not empty.`,
  );
}

function broken(code: OfrepErrorCode, message: string): Failure {
  return new Failure('invalid', message, { code });
}
