// Audit-log subscriptions as a module of the flags API. They are stored, matched and delivered as webhooks are.
import type { Module } from '../../kernel/http/module.ts';
import { subscriptionRoutes } from './routes.ts';

export const auditLogSubscriptionModule: Module = {
  tag: { name: 'Audit log subscriptions', description: 'Other services that changes are reported to' },
  routes: subscriptionRoutes,
  sealedColumns: [{ table: 'webhooks', column: 'config', key: ['id'] }],
};
