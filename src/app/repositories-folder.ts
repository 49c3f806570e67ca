// Where the git repositories are.
import { join } from 'node:path';
import type { Config } from './config.ts';

export function repositoriesFolderOf({ repositories, data }: Pick<Config, 'repositories' | 'data'>): string {
  return repositories ?? join(data, 'repositories');
}
