// Comments on lines of pull requests.
import type { Module } from '../../kernel/http/module.ts';
import { PULLS_TAG } from '../pulls/module.ts';
import { reviewCommentRoutes } from './routes.ts';

export const reviewCommentModule: Module = { tag: PULLS_TAG, routes: reviewCommentRoutes };
