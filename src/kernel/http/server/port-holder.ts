// Finds the process that listens on a port of this machine, if the system reveals it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface PortHolder {
  pid: number;
  /** The name of its program, like `node`. */
  name: string;
}

const LISTENING = '0A';

/** Linux shows a user's own processes, and all to root. Undefined on other systems, and for processes of others. */
export function findPortHolder(port: number): PortHolder | undefined {
  const sockets = ['tcp', 'tcp6'].flatMap((table) => listeners(`/proc/net/${table}`, port));
  if (sockets.length === 0) return undefined;
  const pid = readFolder('/proc').find((name) => /^\d+$/.test(name) && holdsAny(name, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), name: nameOf(pid) };
}

/** Inodes of the sockets that listen on the port: the tables contain the address in hexadecimal, the state and the inode. */
function listeners(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readText(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = '', , state]) => address.endsWith(suffix) && state === LISTENING)
    .map((columns) => `socket:[${columns[9]}]`);
}

function holdsAny(pid: string, sockets: readonly string[]): boolean {
  const folder = join('/proc', pid, 'fd');
  return readFolder(folder).some((descriptor) => {
    try {
      return sockets.includes(readlinkSync(join(folder, descriptor)));
    } catch {
      return false; // closed meanwhile
    }
  });
}

/** Without its arguments, which may contain secrets. */
function nameOf(pid: string): string {
  const [command = ''] = readText(join('/proc', pid, 'cmdline')).split('\0');
  return basename(command) || readText(join('/proc', pid, 'comm')).trim();
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
