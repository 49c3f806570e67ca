// Opens the writer of a log: creates the file for a program's output, and has it followed.
import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createPrivateFolder } from '../../kernel/storage/disk/private-files.ts';
import { LogFile } from './log-file.ts';
import type { LogWriter } from './log-writer.ts';
import { packLog, unpackLog } from './pack-log.ts';
import { insertLogFile } from './store.ts';

export interface LogPlace {
  /** The id of the build or run. */
  id: string;
  /** In the work folder of this node; it is created if it is missing. */
  folder: string;
}

/** An ended log is continued, as when a run is resurrected. */
export async function openLogWriter(kernel: Kernel, { id, folder }: LogPlace): Promise<LogWriter> {
  const { db, clock, log, services, settings } = kernel;
  const stored = await unpackLog(kernel, id);
  if (stored === undefined) throw new Failure('not-found', 'The log was not found');
  createPrivateFolder(folder);
  const path = join(folder, `output-${randomUUID()}.log`);
  const name = relative(settings.execution.work, path);
  const file = new LogFile(
    { id, name, path, position: 0, totalBytes: stored.totalBytes, now: () => clock.now() },
    'create',
  );
  try {
    await insertLogFile(db, id, name);
  } catch (error) {
    file.close();
    throw error;
  }
  services.logFiles.follow(file);
  return {
    file: path,
    write(line) {
      try {
        file.write(line);
      } catch (error) {
        log.warn({ err: error, file: path }, 'cannot write to the output of a program');
      }
    },
    async end() {
      await services.logFiles.finish(file, 'end');
      await packLog(kernel, id);
    },
    close: () => services.logFiles.finish(file, 'close'),
  };
}
