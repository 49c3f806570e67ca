// Stores logs until it is killed, or told to end them. Arguments: the location of the database, a folder, and the ids of the logs.
import { join } from 'node:path';
import { LogFiles, openLogWriter } from '../../src/actors/logs/log-writer.ts';
import { recoverLogs } from '../../src/actors/logs/recover-logs.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { openFileBlobs } from '../../src/kernel/storage/blobs/blob.ts';
import { openEngine } from '../engines.ts';

const [location = '', folder = '', ...ids] = process.argv.slice(2);
const engine = await openEngine(location);
const log = { warn: console.warn, error: console.error };
const work = join(folder, 'work');
const kernel = {
  engine,
  db: engine.db,
  blobs: await openFileBlobs(join(folder, 'blobs')),
  log,
  clock: { now: Date.now },
  settings: { execution: { work } },
} as unknown as Kernel;
Object.assign(kernel, { services: { logFiles: new LogFiles(kernel) } });

await recoverLogs(kernel);
const writers = await Promise.all(
  ids.map((id) => openLogWriter(kernel, { id, folder: join(work, 'runs', id) })),
);
process.send?.(writers.map(({ file }) => file));
process.once('disconnect', () => process.exit());
process.once('message', () => void end());

async function end(): Promise<void> {
  await Promise.all(writers.map((writer) => writer.end()));
  await engine.close();
  process.disconnect();
}
