// POST /graphql: queries, rate-limited by points.
import { route } from '../../kernel/http/route.ts';
import { Nullable, Type } from '../../kernel/schema/schema.ts';

export const GraphqlQuery = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 100_000 }),
  variables: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  operationName: Type.Optional(Nullable(Type.String())),
});

export const GraphqlResult = Type.Object(
  {
    data: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
    errors: Type.Optional(
      Type.Array(Type.Object({ message: Type.String(), type: Type.Optional(Type.String()) })),
    ),
  },
  { $id: 'graphql-result' },
);

/** Clients of the root and of `/api/v3` use different paths. */
const graphqlAt = (path: string, id: string) =>
  route(
    {
      id,
      method: 'POST',
      worksOnFullDisk: true,
      path,
      summary: 'Run a GraphQL query',
      isData: true,
      access: 'caller',
      body: GraphqlQuery,
      reply: { 200: GraphqlResult },
      limit: 'graphql',
      charge: 'later',
      cache: 'never',
    },
    async (call, kernel) => {
      // Loaded with the first query, because most servers never get one.
      const { runQuery } = await import('./run-query.ts');
      return runQuery(call, kernel);
    },
  );

export const graphqlRoutes = [
  graphqlAt('/graphql', 'graphql/query'),
  graphqlAt('/api/graphql', 'graphql/query-below-api'),
];
