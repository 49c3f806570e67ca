// The audit log.
import type { Part } from '../../kernel/part.ts';
import { auditLogRoutes } from './routes.ts';

export const auditLogPart: Part = {
  routes: auditLogRoutes,
};
