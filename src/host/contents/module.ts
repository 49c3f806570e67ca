// The contents of repositories.
import type { Module } from '../../kernel/http/module.ts';
import { contentRoutes } from './routes.ts';
import { contentWriteRoutes } from './write-routes.ts';

export const contentModule: Module = {
  tag: { name: 'contents', description: 'Files of repositories' },
  routes: [...contentRoutes, ...contentWriteRoutes],
  close: ({ services }) => services.markdown.close(),
};
