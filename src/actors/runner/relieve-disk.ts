// Makes room on a full file system by ending the programs that have grown most on it.
import { statSync } from 'node:fs';
import type { Logger } from '../../kernel/observability/log.ts';
import type { SupervisedProgram } from './supervise.ts';

/** A program that has written less is not what fills a disk. */
const MIN_GROWTH_BYTES = 1024 ** 2;

/**
 * All are frozen meanwhile: what one gives up another would take at once, and a program that moves its files about could not be
 * measured. The others go on afterwards.
 */
export async function relieveDisk(
  programs: Iterable<SupervisedProgram>,
  device: number,
  hasRoom: () => Promise<boolean>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const here = [...programs].filter(({ folder }) => deviceOf(folder) === device);
  const ended = new Set<SupervisedProgram>();
  try {
    await Promise.all(here.map((one) => one.freeze()));
    const grown = await Promise.all(here.map(async (one) => ({ one, bytes: await one.growth() })));
    grown.sort((a, b) => b.bytes - a.bytes);
    for (const { one, bytes } of grown) {
      if (bytes < MIN_GROWTH_BYTES || (await hasRoom())) return;
      log.warn(
        { folder: one.folder, bytes },
        'the disk is full, so the program that has grown most is ended',
      );
      ended.add(one);
      one.endForSpace();
      await one.exited;
    }
  } catch (error) {
    log.warn({ err: error }, 'cannot make room on the disk');
  } finally {
    await Promise.all(here.filter((one) => !ended.has(one)).map((one) => one.thaw()));
  }
}

function deviceOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.dev;
}
