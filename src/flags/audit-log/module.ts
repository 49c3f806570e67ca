// The audit log as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { auditLogRoutes } from './routes.ts';

export const auditLogModule: Module = {
  tag: { name: 'Audit log', description: 'Every change of configuration, with who made it' },
  routes: auditLogRoutes,
};
