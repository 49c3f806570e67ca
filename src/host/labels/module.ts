// Labels of repositories and of their issues.
import type { Module } from '../../kernel/http/module.ts';
import { ISSUES_TAG } from '../issues/module.ts';
import { issueLabelRoutes } from './issue-routes.ts';
import { labelWork } from './label-work.ts';
import { labelRoutes } from './routes.ts';

export const labelModule: Module = {
  tag: ISSUES_TAG,
  routes: [...labelRoutes, ...issueLabelRoutes],
  work: labelWork,
};
