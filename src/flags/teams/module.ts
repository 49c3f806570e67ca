// Teams as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { teamBulkRoutes } from './bulk-routes.ts';
import { teamRoutes } from './routes.ts';

export const teamModule: Module = {
  tag: { name: 'Teams', description: 'Groups of members with roles in common' },
  routes: [...teamRoutes, ...teamBulkRoutes],
};
