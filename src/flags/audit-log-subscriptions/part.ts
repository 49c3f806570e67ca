// Audit-log subscriptions as a part of the flags API. They are stored, matched and delivered as webhooks are.
import type { Part } from '../../kernel/module.ts';
import { subscriptionRoutes } from './routes.ts';

export const auditLogSubscriptionPart: Part = {
  tag: { name: 'Audit log subscriptions', description: 'Other services that changes are reported to' },
  routes: subscriptionRoutes,
};
