// Custom roles as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { roleRoutes } from './routes.ts';

export const rolePart: Part = {
  tag: { name: 'Custom roles', description: 'Roles with policies of their own' },
  routes: roleRoutes,
};
