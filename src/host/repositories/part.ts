// Repositories.
import type { Part } from '../../kernel/part.ts';
import { repositoryMigrations } from '../migrations/repositories.ts';
import { HOST_ROLE_STATEMENTS } from './access.ts';

export const repositoryPart: Part = {
  tag: { name: 'repos', description: 'Repositories' },
  migrations: repositoryMigrations,
  roleStatements: [HOST_ROLE_STATEMENTS],
};
