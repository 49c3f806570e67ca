// The GraphQL endpoint.
import type { Part } from '../../kernel/module.ts';
import { graphqlRoutes } from './routes.ts';

export const graphqlPart: Part = {
  tag: { name: 'graphql', description: 'Questions by GraphQL, paid for in points' },
  routes: graphqlRoutes,
};
