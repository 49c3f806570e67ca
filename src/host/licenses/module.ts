// Licences.
import type { Module } from '../../kernel/http/module.ts';
import { licenseRoutes } from './routes.ts';

export const licenseModule: Module = {
  tag: { name: 'licenses', description: 'Licences and their texts' },
  routes: licenseRoutes,
};
