// Organizations, their teams and their custom repository roles.
import type { Part } from '../../kernel/part.ts';
import { organizationMigrations } from '../migrations/organizations.ts';

export const organizationPart: Part = {
  tag: { name: 'orgs', description: 'Organizations' },
  migrations: organizationMigrations,
};
