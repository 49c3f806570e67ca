// Owners of files, which CODEOWNERS names.
import type { Module } from '../../kernel/http/module.ts';
import { codeownersRoutes } from './routes.ts';

export const codeownersModule: Module = {
  tag: { name: 'code owners', description: 'Who owns which files' },
  routes: codeownersRoutes,
};
