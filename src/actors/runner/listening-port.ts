// Finds out whether a port of this machine is listened on by given processes, from the tables of Linux.
import { readFile, readdir, readlink } from 'node:fs/promises';

const LISTENING = '0A';

/** The inodes of the sockets that listen on the port, of any address. Undefined where there are no such tables. */
async function listListeners(port: number): Promise<Set<string> | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => undefined)),
  );
  if (tables[0] === undefined) return undefined;
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const line of tables.flatMap((table) => table?.split('\n').slice(1) ?? [])) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === LISTENING && local.endsWith(suffix) && inode !== undefined) inodes.add(inode);
  }
  return inodes;
}

/**
 * Whether one of the processes listens on the port, and nobody else does. False where nobody listens. Undefined where the
 * machine does not tell, such as where this user may not look into the processes.
 */
export async function isHeldBy(port: number, pids: readonly number[]): Promise<boolean | undefined> {
  const inodes = await listListeners(port);
  if (inodes === undefined) return undefined;
  const strange = new Set(inodes);
  let isReadable = false;
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
    if (names === undefined) continue;
    isReadable = true;
    for (const name of names) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) strange.delete(inode);
    }
  }
  return isReadable ? inodes.size > 0 && strange.size === 0 : undefined;
}
