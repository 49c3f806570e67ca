// A small file system in memory, to be filled by tests. It takes root; it ends with this process, however that ends.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEndOfFile } from './cleanup.ts';
import { inTime } from './eventually.ts';

export const canMount: boolean =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'probe', '/mnt']).status === 0;

export interface SmallDisk {
  /** Leaves this much, or nothing. */
  fill(leftBytes?: number): void;
  makeRoom(): void;
  unmount(): void;
}

/** On a folder that is there. The shell that has mounted it sees the end of its input when this process is gone. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  const lines = `mount -t tmpfs -o size=${megabytes}m,mode=711 small "$1" && echo ready && cat; umount -l "$1"`;
  const holder = spawn('sh', ['-c', lines, 'sh', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  let isMounted = true;
  const unmount = () => {
    if (!isMounted) return;
    isMounted = false;
    spawnSync('umount', ['-l', folder]);
    holder.kill();
  };
  atEndOfFile(unmount);
  await inTime(once(holder.stdout, 'data'), 'the small file system');
  holder.unref();
  // They are sockets, which would keep this process from ending.
  for (const pipe of [holder.stdin, holder.stdout]) (pipe as unknown as Socket).unref();
  const file = join(folder, 'theirs');
  return {
    fill(leftBytes = 0) {
      rmSync(file, { force: true });
      const { bavail, bsize } = statfsSync(folder);
      const bytes = Math.max(0, bavail * bsize - leftBytes);
      try {
        writeFileSync(file, Buffer.alloc(bytes, 1));
      } catch (error) {
        // Others write meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    makeRoom: () => rmSync(file, { force: true }),
    unmount,
  };
}
