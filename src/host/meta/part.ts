// Facts about the server, and its API versions.
import type { Part } from '../../kernel/part.ts';
import { versions } from '../versions/index.ts';
import { metaRoutes } from './routes.ts';

export const metaPart: Part = {
  routes: metaRoutes(versions),
};
