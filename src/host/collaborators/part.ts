// Collaborators of repositories.
import type { Part } from '../../kernel/module.ts';
import { collaboratorRoutes } from './routes.ts';

export const collaboratorPart: Part = {
  tag: { name: 'collaborators', description: 'Collaborators of repositories' },
  routes: collaboratorRoutes,
};
