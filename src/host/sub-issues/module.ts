// Sub-issues and dependencies between issues.
import type { Module } from '../../kernel/http/module.ts';
import { ISSUES_TAG } from '../issues/module.ts';
import { dependencyRoutes } from './dependency-routes.ts';
import { subIssueRoutes } from './routes.ts';

export const subIssueModule: Module = { tag: ISSUES_TAG, routes: [...subIssueRoutes, ...dependencyRoutes] };
