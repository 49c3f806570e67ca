// Templates of `.gitignore`.
import type { Part } from '../../kernel/module.ts';
import { gitignoreRoutes } from './routes.ts';

export const gitignorePart: Part = {
  tag: { name: 'gitignore', description: 'Templates of .gitignore' },
  routes: gitignoreRoutes,
};
