// The GraphQL endpoint.
import type { Module } from '../../kernel/http/module.ts';
import { graphqlRoutes } from './routes.ts';

export const graphqlModule: Module = {
  tag: { name: 'graphql', description: 'Questions by GraphQL, paid for in points' },
  routes: graphqlRoutes,
};
