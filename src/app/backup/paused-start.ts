// A server whose database was restored from a backup does nothing by itself until somebody says that it is the one to go on.
import { findPause, PAUSE_CHANNEL } from '../../kernel/backup/backup-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';

export interface WaitingStart {
  stop(): Promise<void>;
}

/** Notifications may be lost. */
const LOOK_MS = 2000;

/** Undefined where the server is not paused. Else `start` is called once it no longer is. */
export async function waitForResume(
  { db, engine, log, program }: Kernel,
  start: () => Promise<void>,
): Promise<WaitingStart | undefined> {
  const pause = await findPause(db);
  if (pause === undefined) return undefined;
  log.warn(
    { backup: pause.backup, madeAt: pause.madeAt },
    `paused after a restore: no schedule, run, webhook or planned change happens until: ${program} resume`,
  );
  let isOver = false;
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    if (isOver || (await findPause(db)) !== undefined) return;
    end();
    log.info('resumed after a restore');
    await start();
  };
  const lookInTurn = () => {
    looking = looking
      .then(look)
      .catch((error: unknown) => log.warn({ err: error }, 'cannot look whether the server is paused'));
  };
  const timer = setInterval(lookInTurn, LOOK_MS).unref();
  const unlisten = await engine.listen(PAUSE_CHANNEL, lookInTurn);
  const end = () => {
    isOver = true;
    clearInterval(timer);
    unlisten();
  };
  return {
    async stop() {
      end();
      await looking;
    },
  };
}
