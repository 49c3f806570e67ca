// Access tokens: their last use, their calls by hour, and least policies for what people make them for.
import type { Module } from '../../kernel/http/module.ts';
import { tokenUseRoutes } from './routes.ts';

export const tokenUseModule: Module = {
  tag: { name: 'Tokens', description: 'How access tokens are used, and what they should be allowed' },
  routes: tokenUseRoutes,
};
