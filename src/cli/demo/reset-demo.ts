// The command `demo reset`: leaves the work to the server, as a row that it finds now or at its next start.
import type { LoadedSettings } from '../../app/read-settings.ts';
import { DEMO_RESET, planDemoWork } from '../../signalbox/demo/store.ts';
import { Failure } from '../../kernel/failure.ts';
import { isPlanned } from '../../kernel/jobs/due-store.ts';
import { EXIT } from '../command-errors.ts';
import type { Io } from '../io.ts';
import { withMigratedDatabase } from '../open-database.ts';
import { Progress } from '../progress.ts';
import { findServer } from '../running-server.ts';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 250;
/** A server that does not work on it by then has no worker, or is paused. */
const LONGEST_MS = 120_000;

export async function runDemoReset(
  { config }: LoadedSettings,
  { yes }: { yes?: boolean },
  io: Io,
): Promise<number> {
  if (yes !== true) {
    if (io.confirm === undefined)
      throw new Failure(
        'invalid',
        'There is nobody to ask whether to delete the examples: say so with --yes.',
      );
    if (!(await io.confirm('Delete the examples with all that was changed in them, and make them anew?'))) {
      io.err('Nothing was changed.');
      return EXIT.failed;
    }
  }
  return await withMigratedDatabase(config, async ({ db }) => {
    await planDemoWork(db, DEMO_RESET, Date.now(), 'move');
    if ((await findServer(config.data)) === undefined) {
      io.err(`No server runs on ${config.data}: it does this when it starts.`);
      return EXIT.good;
    }
    const progress = new Progress(io);
    for (const begun = performance.now(); performance.now() - begun < LONGEST_MS; await delay(POLL_MS)) {
      progress.update('deleting the examples, and making them anew');
      if (await isPlanned(db, DEMO_RESET)) continue;
      progress.end();
      io.err('The examples are as they were at first. Builds and runs of the Actor come when they are done.');
      return EXIT.good;
    }
    progress.end();
    throw new Failure('unavailable', 'The server has not done it yet: look into its log. It goes on trying.');
  });
}
