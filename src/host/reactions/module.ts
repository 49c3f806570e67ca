// Reactions.
import type { Module } from '../../kernel/http/module.ts';
import { reactionRoutes } from './routes.ts';

export const reactionModule: Module = {
  tag: { name: 'reactions', description: 'Reactions to issues, pull requests and comments' },
  routes: reactionRoutes,
};
