// Teams as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { teamBulkRoutes } from './bulk-routes.ts';
import { teamRoutes } from './routes.ts';

export const teamPart: Part = {
  tag: { name: 'Teams', description: 'Groups of members with roles in common' },
  routes: [...teamRoutes, ...teamBulkRoutes],
};
