// POST /graphql: queries, paid for in points.
import { route } from '../../kernel/route.ts';
import { GraphqlQuery, GraphqlResult } from './model.ts';

/** Clients of the root and of `/api/v3` look for it in different places. */
const graphqlAt = (path: string, id: string) =>
  route(
    {
      id,
      method: 'POST',
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
      // Most servers never see a query: what runs them is loaded with the first.
      const { runQuery } = await import('./run.ts');
      return runQuery(call, kernel);
    },
  );

export const graphqlRoutes = [
  graphqlAt('/graphql', 'graphql/query'),
  graphqlAt('/api/graphql', 'graphql/query-below-api'),
];
