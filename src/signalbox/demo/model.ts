// The examples as administrators see them.
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { PRODUCTS } from '../activity/model.ts';

export const Demo = Type.Object(
  {
    state: OneOf(['absent', 'loading', 'present', 'removing']),
    since: Type.Optional(
      Type.Integer({ description: 'When they were made, in epoch milliseconds; 0 where nobody knows' }),
    ),
    isComplete: Type.Boolean({ description: 'Whether builds, runs and issues are there, too' }),
    problem: Type.Optional(
      Type.String({
        description: 'Why the last attempt to make or to remove them has failed; it is made again',
      }),
    ),
    parts: Type.Array(
      Type.Object({
        resource: Type.String({ description: 'As the activity names it' }),
        product: OneOf(PRODUCTS),
        kind: Type.String(),
        name: Type.String(),
        changedAt: Type.Optional(
          Type.Integer({
            description:
              'When it, or something in it, was changed last since it was made, in epoch milliseconds; absent where it was not',
          }),
        ),
        changedBy: Type.Array(Type.String(), { description: 'By whom, as far as the activity says so' }),
      }),
      {
        description:
          'What is there. Where the state is `absent`, these have the names that the examples would have.',
      },
    ),
  },
  { $id: 'Demo' },
);
export type Demo = Static<typeof Demo>;
