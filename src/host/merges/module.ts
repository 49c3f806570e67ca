// Merges of branches without pull requests.
import type { Module } from '../../kernel/http/module.ts';
import { mergeRoutes } from './routes.ts';

export const mergeModule: Module = {
  tag: { name: 'merges', description: 'Merges of branches without pull requests' },
  routes: mergeRoutes,
};
