// The contents of repositories.
import type { Part } from '../../kernel/module.ts';
import { rawRoutes } from './raw-routes.ts';
import { contentRoutes } from './routes.ts';
import { contentWriteRoutes } from './write-routes.ts';

export const contentPart: Part = {
  tag: { name: 'contents', description: 'Files of repositories' },
  routes: [...contentRoutes, ...contentWriteRoutes, ...rawRoutes],
};
