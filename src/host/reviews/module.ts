// Reviews of pull requests, and requests for them.
import type { Module } from '../../kernel/http/module.ts';
import { PULLS_TAG } from '../pulls/module.ts';
import { reviewRequestRoutes } from './request-routes.ts';
import { reviewsOfEndedAccounts, reviewWork } from './review-work.ts';
import { reviewRoutes } from './routes.ts';

export const reviewModule: Module = {
  tag: PULLS_TAG,
  routes: [...reviewRoutes, ...reviewRequestRoutes],
  work: reviewWork,
  ...reviewsOfEndedAccounts,
};
