// What people do with code every day and the host API does not say: why a pull request cannot be merged.
import type { Module } from '../../kernel/http/module.ts';
import { mergeCheckRoutes } from './merge-check-routes.ts';

export const codeWorkModule: Module = {
  tag: { name: 'Code', description: 'Every reason why a pull request cannot be merged' },
  routes: mergeCheckRoutes,
};
