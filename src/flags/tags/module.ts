// Tags as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { tagRoutes } from './routes.ts';

export const tagModule: Module = {
  tag: { name: 'Tags', description: 'The tags that resources have' },
  routes: tagRoutes,
};
