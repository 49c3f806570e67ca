// The audit log as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { auditLogRoutes } from './routes.ts';

export const auditLogPart: Part = {
  tag: { name: 'Audit log', description: 'Every change of configuration, with who made it' },
  routes: auditLogRoutes,
};
