// Git over HTTP.
import type { Part } from '../../kernel/module.ts';
import { gistTransportRoutes } from './gist-routes.ts';
import { transportRoutes } from './routes.ts';

export const transportPart: Part = { rawRoutes: [...transportRoutes, ...gistTransportRoutes] };
