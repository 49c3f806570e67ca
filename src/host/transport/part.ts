// Git over HTTP.
import type { Part } from '../../kernel/part.ts';
import { transportRoutes } from './routes.ts';

export const transportPart: Part = { rawRoutes: transportRoutes };
