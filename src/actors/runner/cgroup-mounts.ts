// Finds the control groups of this process, of version 1 and 2, from /proc/self/cgroup and /proc/self/mountinfo.
import { posix } from 'node:path';

export interface OwnCgroups {
  /** The folder of this process's group in the unified hierarchy. */
  unified?: string;
  /** The same for each controller of version 1. */
  controllers: Readonly<Record<string, string>>;
}

interface CgroupMount {
  /** The part of the hierarchy that is mounted: in a container, its own. */
  root: string;
  path: string;
  type: string;
  controllers: readonly string[];
}

export function findOwnCgroups(cgroup: string, mountinfo: string): OwnCgroups {
  const mounts = parseMounts(mountinfo);
  const controllers: Record<string, string> = {};
  let unified: string | undefined;
  for (const line of cgroup.split('\n')) {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (names === undefined || path === undefined) continue;
    if (names === '') {
      const mount = mounts.find(({ type }) => type === 'cgroup2');
      if (mount !== undefined) unified = folderIn(mount, path);
      continue;
    }
    for (const name of names.split(',')) {
      const mount = mounts.find(({ type, controllers: of }) => type === 'cgroup' && of.includes(name));
      if (mount !== undefined) controllers[name] = folderIn(mount, path);
    }
  }
  return { ...(unified !== undefined && { unified }), controllers };
}

/** A container may see the path of the host, although only its own part of the hierarchy is mounted. */
function folderIn({ root, path: mountPoint }: CgroupMount, path: string): string {
  const isBelow = root !== '/' && (path === root || path.startsWith(`${root}/`));
  return posix.resolve(mountPoint, `.${isBelow ? path.slice(root.length) : path}`);
}

function parseMounts(mountinfo: string): CgroupMount[] {
  return mountinfo.split('\n').flatMap((line): CgroupMount[] => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root = '', path = ''] = left.split(' ');
    const [type = '', , options = ''] = right.split(' ');
    return type.startsWith('cgroup') ? [{ root, path, type, controllers: options.split(',') }] : [];
  });
}
