// The audit log as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { auditLogRoutes } from './routes.ts';

export const auditLogPart: Part = {
  routes: auditLogRoutes,
};
