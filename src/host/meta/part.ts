// Facts about the server, and its API versions.
import type { Part } from '../../kernel/module.ts';
import { versions } from '../versions/index.ts';
import { metaRoutes } from './routes.ts';

export const metaPart: Part = {
  tag: { name: 'meta', description: 'What the server is, and its versions' },
  routes: metaRoutes(versions),
};
