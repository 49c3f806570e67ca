// Notifies another API of the same server of the branches that were pushed, by a port that the composition root connects.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listFormerNames } from '../repositories/store-redirects.ts';
import type { RefMove } from './model.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    /** Called in the transaction that records a push, which it may add to. */
    pushSubscriber(tx: Db, pushed: PushedNames, now: number): Promise<void>;
  }
}

interface PushedNames {
  /** `owner/name` in lower case: today's, and former ones that lead to it. */
  names: readonly string[];
  /** Without those that were deleted. */
  branches: readonly string[];
  defaultBranch: string;
}

const BRANCH = 'refs/heads/';

export async function notifyPushSubscriber(
  { services }: Kernel,
  tx: Db,
  { repository, owner }: FoundRepository,
  moves: readonly RefMove[],
  now: number,
): Promise<void> {
  const branches = moves
    .filter(({ name, to }) => name.startsWith(BRANCH) && to !== undefined)
    .map(({ name }) => name.slice(BRANCH.length));
  if (branches.length === 0) return;
  const former = await listFormerNames(tx, repository.number);
  const owners =
    former.length === 0
      ? new Map()
      : await listOwners(
          tx,
          former.map(({ ownerId }) => ownerId),
        );
  const names = [{ ownerId: owner.id, name: repository.name }, ...former].flatMap(({ ownerId, name }) => {
    const login = ownerId === owner.id ? owner.login : (owners.get(ownerId)?.login as string | undefined);
    return login === undefined ? [] : `${login}/${name}`.toLowerCase();
  });
  await services.pushSubscriber(tx, { names, branches, defaultBranch: repository.defaultBranch }, now);
}
