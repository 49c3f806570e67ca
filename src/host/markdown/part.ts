// Rendering of texts that callers send.
import type { Part } from '../../kernel/module.ts';
import { markdownRoutes } from './routes.ts';

export const markdownPart: Part = {
  tag: { name: 'markdown', description: 'Render Markdown' },
  routes: markdownRoutes,
};
