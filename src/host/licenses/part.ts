// Licences.
import type { Part } from '../../kernel/module.ts';
import { licenseRoutes } from './routes.ts';

export const licensePart: Part = {
  tag: { name: 'licenses', description: 'Licences and their texts' },
  routes: licenseRoutes,
};
