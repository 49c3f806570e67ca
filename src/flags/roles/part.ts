// Custom roles as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { roleRoutes } from './routes.ts';

export const rolePart: Part = {
  routes: roleRoutes,
};
