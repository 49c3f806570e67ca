// Comments on issues.
import type { Module } from '../../kernel/http/module.ts';
import { ISSUES_TAG } from '../issues/module.ts';
import { issueCommentRoutes } from './routes.ts';

export const issueCommentModule: Module = { tag: ISSUES_TAG, routes: issueCommentRoutes };
