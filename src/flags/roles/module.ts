// Custom roles as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { roleRoutes } from './routes.ts';

export const roleModule: Module = {
  tag: { name: 'Custom roles', description: 'Roles with policies of their own' },
  routes: roleRoutes,
};
