// The command line of `prlimit`, by which a program gets limits that need no control groups.
import { readHardLimit } from './machine-tools.ts';

export interface ResourceLimits {
  /** Absent where the processes of others would count too. */
  processes?: number;
  diskMbytes: number;
}

const MAX_OPEN_FILES = 65_536;

/** The words to put before the command; none where the tool is absent. */
export function limitWords(prlimit: string | undefined, { processes, diskMbytes }: ResourceLimits): string[] {
  if (prlimit === undefined) return [];
  const fileBytes = diskMbytes * 1024 ** 2;
  return [
    prlimit,
    '--core=0:0',
    ...bounded('--nofile', MAX_OPEN_FILES, readHardLimit('Max open files')),
    // One file that grows faster than the folder is measured stops here.
    ...bounded('--fsize', fileBytes, readHardLimit('Max file size')),
    ...(processes === undefined ? [] : bounded('--nproc', processes, readHardLimit('Max processes'))),
    '--',
  ];
}

/** A hard limit cannot be raised. */
function bounded(option: string, wanted: number, hard: number): string[] {
  const limit = Math.min(wanted, hard);
  return [`${option}=${limit}:${limit}`];
}
