// Issues.
import type { Module } from '../../kernel/http/module.ts';
import { issueMigrations } from '../migrations/issues.ts';

export const ISSUES_TAG = {
  name: 'issues',
  description: 'Issues, their labels, milestones, comments and timelines',
};

export const issueModule: Module = {
  tag: ISSUES_TAG,
  routes: [],
  migrations: issueMigrations,
};
