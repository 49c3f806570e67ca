// Custom repository roles.
import type { Module } from '../../kernel/http/module.ts';
import { customRoleRoutes } from './routes.ts';

export const customRoleModule: Module = {
  tag: { name: 'repository-roles', description: 'Custom repository roles of organizations' },
  routes: customRoleRoutes,
};
