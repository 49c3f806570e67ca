// Milestones of repositories.
import type { Module } from '../../kernel/http/module.ts';
import { ISSUES_TAG } from '../issues/module.ts';
import { milestoneWork } from './milestone-work.ts';
import { milestoneRoutes } from './routes.ts';

export const milestoneModule: Module = {
  tag: ISSUES_TAG,
  routes: milestoneRoutes,
  work: milestoneWork,
};
