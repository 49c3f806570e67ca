// Issues.
import type { Module } from '../../kernel/http/module.ts';
import { issueMigrations } from '../migrations/issues.ts';

export const issueModule: Module = {
  tag: { name: 'issues', description: 'Issues, their labels, milestones, comments and timelines' },
  routes: [],
  migrations: issueMigrations,
};
