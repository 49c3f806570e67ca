// Reads the filter of lists of approval requests into conditions.
import type { ExpressionBuilder } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import type { Tables } from '../../kernel/storage/tables.ts';
import { foldExpression, readExpression, textsOf, type Comparison } from '../lists/filter-expression.ts';
import { REVIEW_STATUSES, APPROVAL_STATUSES, readResourceId } from './model.ts';
import type { Condition, ApprovalQuery } from './store.ts';

const FIELDS = {
  notifyMemberIds: ['anyOf'],
  projectKey: ['equals'],
  requestorId: ['equals'],
  resourceId: ['equals'],
  resourceKind: ['equals'],
  reviewStatus: ['anyOf'],
  status: ['anyOf'],
} as const;

export const filterText = `Such as \`status anyOf ["pending"],projectKey equals web\`; fields: ${Object.keys(FIELDS).join(', ')}`;

type Eb = ExpressionBuilder<Tables, 'approval_requests'>;
type Field = keyof typeof FIELDS;
type Reader = (comparison: Comparison) => (eb: Eb) => Condition;

/** Each reader checks its value before the database is queried. */
const READERS: Record<Field, Reader> = {
  notifyMemberIds: (comparison) => {
    const ids = plain(comparison);
    return (eb) =>
      eb('id', 'in', eb.selectFrom('approval_reviewers').select('request_id').where('member_id', 'in', ids));
  },
  projectKey: (comparison) => {
    const keys = plain(comparison);
    return (eb) =>
      eb('project_id', 'in', eb.selectFrom('projects').select('projects.id').where('key', 'in', keys));
  },
  requestorId: (comparison) => {
    const ids = plain(comparison);
    return (eb) => eb('requestor_id', 'in', ids);
  },
  resourceId: (comparison) => {
    const { projectKey, environmentKey, flagKey } = readResourceId(plain(comparison).at(-1)!);
    return (eb) =>
      eb.and([
        eb(
          'flag_id',
          'in',
          eb
            .selectFrom('flags')
            .innerJoin('projects', 'projects.id', 'flags.project_id')
            .select('flags.id')
            .where('projects.key', '=', projectKey)
            .where('flags.key', '=', flagKey),
        ),
        eb(
          'environment_id',
          'in',
          eb
            .selectFrom('environments')
            .innerJoin('projects', 'projects.id', 'environments.project_id')
            .select('environments.id')
            .where('projects.key', '=', projectKey)
            .where('environments.key', '=', environmentKey),
        ),
      ]);
  },
  resourceKind: (comparison) => {
    const isFlag = oneOf(comparison, ['flag', 'segment']).includes('flag');
    return (eb) => (isFlag ? eb('id', 'is not', null) : eb('id', 'is', null));
  },
  reviewStatus: (comparison) => {
    const words = oneOf(comparison, REVIEW_STATUSES);
    return (eb) => eb('review_status', 'in', words);
  },
  status: (comparison) => {
    const words = oneOf(comparison, APPROVAL_STATUSES);
    return (eb) => eb('status', 'in', words);
  },
};

export function readApprovalFilter(text: string | undefined): ApprovalQuery['filter'] {
  const expression = readExpression(text, FIELDS);
  return (
    expression &&
    foldExpression<(eb: Eb) => Condition>(
      expression,
      (comparison) => READERS[comparison.field as Field](comparison),
      (kind, parts) => (eb) => (kind === 'all' ? eb.and : eb.or)(parts.map((part) => part(eb))),
    )
  );
}

/** PostgreSQL rejects text with a NUL, and no name has one. The list is never empty, because SQL allows no empty list. */
function plain(comparison: Comparison): string[] {
  return ['', ...textsOf(comparison).filter((text) => !text.includes('\0'))];
}

function oneOf(comparison: Comparison, words: readonly string[]): string[] {
  const asked = plain(comparison).filter((word) => word !== '');
  const unknown = asked.find((word) => !words.includes(word));
  if (unknown === undefined) return ['', ...asked];
  throw new Failure('malformed', `filter: ${comparison.field} takes ${words.join(', ')}.`);
}
