// Approval requests, and the settings that require them.
import type { Module } from '../../kernel/http/module.ts';
import { approvalMigrations } from '../migrations/approvals.ts';
import { approvalHandlers } from './apply-request.ts';
import { approvalReviewRoutes } from './review-routes.ts';
import { approvalRoutes } from './routes.ts';
import { approvalSettingsRoutes } from './settings-routes.ts';

export const approvalModule: Module = {
  tag: {
    name: 'Approvals',
    description: 'Requests for changes that others must approve, and the settings that ask for them',
  },
  routes: [...approvalRoutes, ...approvalReviewRoutes, ...approvalSettingsRoutes],
  migrations: approvalMigrations,
  boundaryUsers: ['approval_requests'],
  work: (kernel) => ({ handlers: approvalHandlers(kernel) }),
};
