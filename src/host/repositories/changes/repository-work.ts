// Due work after changes of repositories: removes the folders of deleted ones, counts what pushes have changed, and writes
// the default branch for clones.
import type { BackgroundWork } from '../../../kernel/http/protocol.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { deleteScanning } from '../../code-scanning/store-deleting.ts';
import { limitedWork } from '../../maintenance/schedule-maintenance.ts';
import { DELETE_REPOSITORY } from './change-repository.ts';
import { COUNT_REPOSITORY, countRepository, WRITE_HEAD, writeHead } from './default-branch-work.ts';
import { deleteRepositoryRow, findRepositoryByNumber } from '../store.ts';

/** How often folders are looked for that a crash has left half made. */
const SWEEP_MS = 60 * 60 * 1000;

export function repositoryWork(kernel: Kernel): BackgroundWork {
  const { db, services, clock } = kernel;
  return {
    recurring: [{ kind: 'host.sweep', everyMs: SWEEP_MS, run: () => services.git.sweep(clock.now()) }],
    handlers: {
      async [DELETE_REPOSITORY]({ payload }) {
        const { number } = JSON.parse(payload) as { number: number };
        await services.git.removeRepository(number);
        await deleteScanning(db, number);
        await deleteRepositoryRow(db, number);
      },
      [COUNT_REPOSITORY]: limitedWork(kernel, async ({ payload }) => {
        const { number } = JSON.parse(payload) as { number: number };
        await countRepository(kernel, number);
      }),
      async [WRITE_HEAD]({ payload }) {
        const { number } = JSON.parse(payload) as { number: number };
        const repository = await findRepositoryByNumber(db, number);
        if (repository !== undefined) await writeHead(kernel, repository);
      },
    },
  };
}
