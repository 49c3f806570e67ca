// The in-memory services of the host, created when a server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { openRepositoryCache } from './repositories/access.ts';

export async function openHostServices({ engine }: Pick<Kernel, 'engine'>) {
  return { repositories: await openRepositoryCache(engine) };
}
