// Custom roles.
import type { Part } from '../../kernel/part.ts';
import { roleRoutes } from './routes.ts';

export const rolePart: Part = {
  routes: roleRoutes,
};
