// Issues.
import type { Module } from '../../kernel/http/module.ts';
import { issueMigrations } from '../migrations/issues.ts';
import { assigneeRoutes } from './people/assignee-routes.ts';
import { assigneesOfEndedAccounts, issueWork } from './issue-work.ts';
import { issueListRoutes } from './lists/list-routes.ts';
import { issueRoutes } from './routes.ts';

export const ISSUES_TAG = {
  name: 'issues',
  description: 'Issues, their labels, milestones, comments and timelines',
};

export const issueModule: Module = {
  tag: ISSUES_TAG,
  routes: [...issueListRoutes, ...issueRoutes, ...assigneeRoutes],
  migrations: issueMigrations,
  work: issueWork,
  ...assigneesOfEndedAccounts,
};
