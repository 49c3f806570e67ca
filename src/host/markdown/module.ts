// Rendering of texts that callers send.
import type { Module } from '../../kernel/http/module.ts';
import { markdownRoutes } from './routes.ts';

export const markdownModule: Module = {
  tag: { name: 'markdown', description: 'Render Markdown' },
  routes: markdownRoutes,
};
