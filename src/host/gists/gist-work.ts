// Due work after changes of gists: removes the folders of deleted ones and the gists of removed members, and records writes whose server has died.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { DELETE_GIST } from './change-gist.ts';
import { RECORD_GIST, recordGistHandler } from './record-change.ts';
import { removeGistsOfHandler } from './remove-gists-of.ts';
import { deleteGistRow, isGistDeleted } from './store.ts';
import { DELETE_GISTS_OF } from './store-writes.ts';

/** How often folders are looked for that a crash has left half made. */
const SWEEP_MS = 60 * 60 * 1000;

export function gistWork(kernel: Kernel): BackgroundWork {
  const { db, services, clock } = kernel;
  return {
    recurring: [
      { kind: 'host.sweep-gists', everyMs: SWEEP_MS, run: () => services.gistGit.sweep(clock.now()) },
    ],
    handlers: {
      async [DELETE_GIST]({ payload }) {
        const { number } = JSON.parse(payload) as { number: number };
        if (!(await isGistDeleted(db, number))) return;
        await services.gistGit.removeRepository(number);
        await deleteGistRow(db, number);
      },
      [DELETE_GISTS_OF]: removeGistsOfHandler(kernel),
      [RECORD_GIST]: recordGistHandler(kernel),
    },
  };
}
