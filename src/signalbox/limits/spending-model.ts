// What the calls of tokens went to, which were refused, and how full windows were, as the Signalbox API shows them.
import { describedPath } from '../../kernel/http/path-template.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { MAX_REFUSALS_OF_TOKEN } from '../../kernel/identity/token-uses/store-operations.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';

const Operation = {
  api: Type.String(),
  category: Type.String({ description: 'Of the rate limits that the calls counted against' }),
  operation: Type.Optional(
    Type.String({
      description:
        'Absent at paths that have none, and for those beyond the number that is counted one by one',
    }),
  ),
  method: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'With its parameters in braces' })),
};

export const SpendingRoute = Type.Object(
  {
    ...Operation,
    calls: Type.Integer(),
    refused: Type.Integer({ description: 'Of these calls, those over a rate limit' }),
  },
  { $id: 'SpendingRoute' },
);

export const RefusedCall = Type.Object(
  {
    ...Operation,
    requestId: Type.String({ description: 'As the reply named it' }),
    at: Type.Integer({ description: 'In epoch milliseconds' }),
    token: Type.Object({ id: Type.String(), name: Type.String(), ending: Type.String() }),
  },
  {
    $id: 'RefusedCall',
    description: `The last ${MAX_REFUSALS_OF_TOKEN} of each token are there, and of many at once only some.`,
  },
);

export const LimitPeaks = Type.Object(
  {
    member: Type.Object({ id: Type.String(), username: Type.String() }),
    api: Type.String(),
    category: Type.String(),
    limit: Type.Integer({ description: 'The present one' }),
    seconds: Type.Integer({ description: 'How long a window is' }),
    hours: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'When the hour began, in epoch milliseconds' }),
        most: Type.Integer({
          description: 'What the fullest window that began in it had, refused calls included',
        }),
      }),
    ),
  },
  { $id: 'LimitPeaks' },
);

/** The method and the path of operations by their names; a release may have renamed them. */
export class OperationPaths {
  readonly #byKey: ReadonlyMap<string, { method: string; path: string }>;

  constructor(apis: readonly Api[]) {
    this.#byKey = new Map(
      apis.flatMap(({ protocol, routes }) =>
        routes.map(({ shape: { id, method, path } }) => [
          `${protocol.name} ${id}`,
          { method, path: protocol.prefixes[0]! + describedPath(path) },
        ]),
      ),
    );
  }

  describe(
    api: string,
    operation: string,
  ): Pick<Static<typeof SpendingRoute>, 'operation' | 'method' | 'path'> {
    return operation === '' ? {} : { operation, ...this.#byKey.get(`${api} ${operation}`) };
  }
}
