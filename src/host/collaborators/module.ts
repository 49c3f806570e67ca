// Collaborators of repositories.
import type { Module } from '../../kernel/http/module.ts';
import { collaboratorRoutes } from './routes.ts';

export const collaboratorModule: Module = {
  tag: { name: 'collaborators', description: 'Collaborators of repositories' },
  routes: collaboratorRoutes,
};
