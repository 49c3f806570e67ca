// Facts about the server, and its API versions.
import type { Module } from '../../kernel/http/module.ts';
import { versions } from '../versions/index.ts';
import { metaRoutes } from './routes.ts';

export const metaModule: Module = {
  tag: { name: 'meta', description: 'What the server is, and its versions' },
  routes: metaRoutes(versions),
};
