// Custom repository roles.
import type { Part } from '../../kernel/module.ts';
import { customRoleRoutes } from './routes.ts';

export const customRolePart: Part = {
  tag: { name: 'repository-roles', description: 'Custom repository roles of organizations' },
  routes: customRoleRoutes,
};
