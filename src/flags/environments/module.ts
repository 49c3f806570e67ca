// Environments and their keys as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { approvalRoleStatements } from './approval-settings.ts';
import { environmentKeyRoutes } from './key-routes.ts';
import { environmentRoutes } from './routes.ts';

export const environmentModule: Module = {
  tag: { name: 'Environments', description: 'Environments of projects, and their keys' },
  routes: [...environmentRoutes, ...environmentKeyRoutes],
  roleStatements: [approvalRoleStatements],
};
