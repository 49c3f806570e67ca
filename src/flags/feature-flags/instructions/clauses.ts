// Makes a clause, as rules keep it, of one that came in.
import { Failure } from '../../../kernel/failure.ts';
import type { Static } from '../../../kernel/schema.ts';
import type { Clause } from '../flag.ts';
import type { ClauseInput } from './parameters.ts';

export function makeClause(input: Static<typeof ClauseInput>, _id: string): Clause {
  const { attribute, op, values, contextKind = 'user', negate = false } = input;
  // A segment is asked as a whole: there is no attribute to name.
  if (attribute === '' && op !== 'segmentMatch')
    throw new Failure('invalid', 'clauses: the attribute must not be empty');
  return { _id, attribute, op, values: [...new Set(values)], contextKind, negate };
}
