// Environments and their keys as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { approvalRoleStatements } from './approval-settings.ts';
import { environmentKeyRoutes } from './key-routes.ts';
import { environmentRoutes } from './routes.ts';

export const environmentPart: Part = {
  tag: { name: 'Environments', description: 'Environments of projects, and their keys' },
  routes: [...environmentRoutes, ...environmentKeyRoutes],
  roleStatements: [approvalRoleStatements],
};
