// The GraphQL endpoint.
import type { Part } from '../../kernel/part.ts';
import { graphqlRoutes } from './routes.ts';

export const graphqlPart: Part = {
  routes: graphqlRoutes,
};
