// Schemas of rules and clauses, shared by flags and segments.
import { OneOf, PlainText, Type } from '../kernel/schema/schema.ts';
import { ContextKind } from './fields.ts';

/** Per rule. */
export const MAX_CLAUSES = 100;

const Id = Type.String({ minLength: 1, maxLength: 64 });

export const RuleId = Id;
export const ClauseId = Id;

export const RuleDescription = PlainText({ maxLength: 1000 });

const OPERATORS = [
  'in',
  'startsWith',
  'endsWith',
  'contains',
  'matches',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
  'before',
  'after',
  'semVerEqual',
  'semVerLessThan',
  'semVerGreaterThan',
  'segmentMatch',
] as const;

export const ClauseValues = Type.Array(
  Type.Union([Type.String({ maxLength: 4096 }), Type.Number(), Type.Boolean()]),
  { maxItems: 15_000 },
);

/** Additional properties are refused: a misspelled optional field would otherwise be ignored. */
export const ClauseInput = Type.Object(
  {
    attribute: PlainText({ maxLength: 1000, description: 'May be empty for `segmentMatch`' }),
    op: OneOf(OPERATORS),
    values: ClauseValues,
    contextKind: Type.Optional(ContextKind),
    negate: Type.Optional(Type.Boolean()),
  },
  { $id: 'ClauseInput', additionalProperties: false },
);

/** A rule without any clause would match everyone. */
export const Clauses = Type.Array(ClauseInput, { minItems: 1, maxItems: MAX_CLAUSES });

/** A clause in a JSON patch or merge patch: with its id, if it existed before. */
const ClauseDocument = Type.Object(
  { _id: Type.Optional(Type.String({ maxLength: 64 })), ...ClauseInput.properties },
  { $id: 'Clause' },
);

export const ClauseDocuments = Type.Array(ClauseDocument, { maxItems: MAX_CLAUSES });
