// The parts of the machine that a sandbox shows: programs, libraries, and the files for names and certificates.
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Only what is named here: other files of /etc hold secrets of the machine. */
const ETC_FILES = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'fonts',
  'gai.conf',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'pki/ca-trust/extracted',
  'pki/tls/cert.pem',
  'pki/tls/certs',
  'protocols',
  'resolv.conf',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'timezone',
];

/** Links to folders of /usr on most systems, folders of their own on others. */
const ROOT_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'nix'];

/** The words of bubblewrap for the files of the system. */
export function systemWords(root = '/', without: readonly string[] = []): string[] {
  return [
    ...(existsSync(join(root, 'usr')) ? ['--ro-bind', join(root, 'usr'), '/usr'] : []),
    ...ROOT_FOLDERS.flatMap((name) => wordsFor(root, `/${name}`, () => true)),
    // A link into /usr stays a link: the name of the time zone is read from it. Others lead to what the sandbox does not have.
    ...ETC_FILES.filter((name) => !without.includes(name)).flatMap((name) =>
      wordsFor(root, `/etc/${name}`, (target) => target.startsWith('/usr/')),
    ),
  ];
}

function wordsFor(root: string, path: string, staysLink: (target: string) => boolean): string[] {
  const source = join(root, path);
  const stats = lstatSync(source, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isSymbolicLink()) return ['--ro-bind', source, path];
  const target = readlinkSync(source);
  if (staysLink(resolve(path, '..', target))) return ['--symlink', target, path];
  // A dangling link, such as that of a resolver that does not run.
  return existsSync(source) ? ['--ro-bind', realpathSync(source), path] : [];
}

/** The words for a sandbox with a network of its own, where the resolver of this machine has another address. */
export function networkWords(folder: string, nameserver: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const file = join(folder, 'resolv.conf');
  writeFileSync(file, `nameserver ${nameserver}\n`, { mode: 0o644 });
  return [...systemWords('/', ['resolv.conf']), '--ro-bind', file, '/etc/resolv.conf'];
}

/** The user inside a sandbox. */
export const SANDBOX_USER = { uid: 1000, gid: 1000, name: 'actor' };

/** Writes the sandbox's own lists of users and groups, and returns the words that show them. */
export function writeUserFiles(folder: string): string[] {
  const { uid, gid, name } = SANDBOX_USER;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const files = {
    passwd: `root:x:0:0:root:/:/usr/sbin/nologin\n${name}:x:${uid}:${gid}:${name}:/tmp:/bin/sh\n`,
    group: `root:x:0:\n${name}:x:${gid}:\n`,
  };
  return Object.entries(files).flatMap(([file, content]) => {
    const path = join(folder, file);
    writeFileSync(path, content, { mode: 0o644 });
    return ['--ro-bind', path, `/etc/${file}`];
  });
}
