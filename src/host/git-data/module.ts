// The objects and references of git, one by one, as programs that make commits use them.
import type { Module } from '../../kernel/http/module.ts';
import { gitBlobRoutes } from './blob-routes.ts';
import { gitCommitRoutes } from './commit-routes.ts';
import { gitRefRoutes } from './ref-routes.ts';
import { gitTagRoutes } from './tag-routes.ts';
import { gitTreeRoutes } from './tree-routes.ts';

export const gitDataModule: Module = {
  tag: { name: 'git', description: 'Objects and references of git' },
  routes: [...gitBlobRoutes, ...gitTreeRoutes, ...gitCommitRoutes, ...gitRefRoutes, ...gitTagRoutes],
};
