// Git over HTTP.
import type { Module } from '../../kernel/http/module.ts';
import { gistTransportRoutes } from './gist-routes.ts';
import { transportRoutes } from './routes.ts';

export const transportModule: Module = { rawRoutes: [...transportRoutes, ...gistTransportRoutes] };
