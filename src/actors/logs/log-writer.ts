// Writes the log of a build or run: creates the file for the program's output, follows it, and stores what comes.
import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createPrivateFolder } from '../../kernel/storage/disk/private-files.ts';
import { LogFile } from './log-file.ts';
import { packLog, unpackLog } from './stored-log.ts';
import { insertLogFile } from './store.ts';

export interface LogWriter {
  /** The file that receives the program's output. It stays where it is until the writer is closed or ended. */
  readonly file: string;
  /** Appends a line of the platform itself, such as `ACTOR: Starting`. */
  write(line: string): void;
  /** Stores everything in the file, closes it, and marks the log as ended: call it when the program is dead. */
  end(): Promise<void>;
  /** Stores everything in the file and closes it; the log goes on on another node. */
  close(): Promise<void>;
}

interface LogPlace {
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
