// Tells git which branch is the default: clones check it out.
import type { Kernel } from '../../kernel/kernel.ts';
import { setDefaultBranch } from '../git/update-refs.ts';
import type { Repository } from './repository.ts';

export async function writeHead(
  { services: { git } }: Kernel,
  { number, defaultBranch }: Repository,
): Promise<void> {
  await setDefaultBranch(git.repository(number), defaultBranch);
}
