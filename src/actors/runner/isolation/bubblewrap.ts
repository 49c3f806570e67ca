// Isolation by bubblewrap: a user namespace without capabilities that shows the system's programs and the working folder only.
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import type { Launch } from '../launch.ts';
import type { Program } from '../runner.ts';
import { countsProcessesPerNamespace, type MachineTools, runProbe, limitWords } from './machine-tools.ts';
import { isWithin } from './user-folders.ts';
import { privateNetworkOf } from './private-network.ts';

/** The user inside a sandbox. */
const SANDBOX_USER = { uid: 1000, gid: 1000, name: 'actor' };

/** Beside this file and with its extension: .ts in the sources, .js in a bundle. */
const BRIDGE = fileURLToPath(new URL(`./bridge${extname(import.meta.url)}`, import.meta.url));
/** With another name inside, because no package.json there says that it is a module. */
const BRIDGE_INSIDE = `/run/bridge.m${extname(BRIDGE).slice(1)}`;
const socketInside = (port: number): string => `/run/bridge-${port}.sock`;

const MIN_TMP_MBYTES = 64;
const MB = 1024 ** 2;

interface SandboxFiles {
  /** The words that show the files of the system. */
  system: readonly string[];
  /** The Node binary of this server. */
  node: string;
}

export interface BubblewrapAbilities {
  /** Bubblewrap 0.8 can forbid namespaces inside the sandbox, and with them much of the kernel that can be attacked. */
  disablesNamespaces: boolean;
}

const NAMESPACE_WORDS = [
  '--unshare-user',
  '--uid',
  String(SANDBOX_USER.uid),
  '--gid',
  String(SANDBOX_USER.gid),
  '--cap-drop',
  'ALL',
  '--clearenv',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--die-with-parent',
  '--hostname',
  SANDBOX_USER.name,
];

/** Everything after `bwrap`. */
function bubblewrapWords(
  program: Program,
  { system, node }: SandboxFiles,
  { disablesNamespaces }: BubblewrapAbilities,
): string[] {
  const { folder, memoryMbytes, network, env } = program;
  const tmpBytes = String(Math.max(MIN_TMP_MBYTES, memoryMbytes / 2) * MB);
  const isInside = (path: string): boolean => isWithin(folder, path);
  const show = (path: string): string[] => ['--ro-bind', path, path];
  return [
    ...NAMESPACE_WORDS,
    ...(disablesNamespaces ? ['--disable-userns'] : []),
    ...(network === 'none' ? ['--unshare-net'] : []),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    tmpBytes,
    '--perms',
    '1777',
    '--tmpfs',
    '/tmp',
    '--size',
    tmpBytes,
    '--perms',
    '1777',
    '--tmpfs',
    '/dev/shm',
    ...system,
    ...(isWithin('/usr', node) ? [] : show(node)),
    ...program.readable.filter((path) => !isInside(path)).flatMap(show),
    '--bind',
    folder,
    folder,
    ...program.readable.filter(isInside).flatMap(show),
    ...(isBridged(program) ? ['--ro-bind', BRIDGE, BRIDGE_INSIDE] : []),
    ...(program.bridges ?? []).flatMap(({ port, socket }) => ['--ro-bind', socket, socketInside(port)]),
    // A server that runs as root is also the owner of the kernel's settings in /proc/sys: without this a program could change
    // them although it has no capability. The root and /dev are in memory, without a limit.
    '--remount-ro',
    '/proc',
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    ...Object.entries(env)
      .filter(([name]) => !isLoaderVariable(name))
      .flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    folder,
  ];
}

function isBridged({ bridges = [], inboundSocket }: Program): boolean {
  return bridges.length > 0 || inboundSocket !== undefined;
}

/** These load code into every program that sees them, and would do so before the limits are set. */
function isLoaderVariable(name: string): boolean {
  return name.startsWith('LD_') || name.startsWith('GLIBC_');
}

interface BubblewrapOptions {
  tools: MachineTools & { bwrap: string };
  files: SandboxFiles;
  abilities: BubblewrapAbilities;
  maxProcesses: number;
  /** The user that the sandbox belongs to, where it is not the server's own. */
  user?: SandboxOwner | undefined;
}

export interface SandboxOwner {
  uid: number;
  /** The words that become this user. */
  words: readonly string[];
  release(): void;
}

export function launchInBubblewrap(program: Program, options: BubblewrapOptions): Launch {
  const { tools, files, abilities, maxProcesses, user } = options;
  const { command, bridges = [], inboundSocket, diskMbytes, env, network } = program;
  // Set inside, where only the sandbox's own processes count.
  const limits = limitWords(tools.prlimit, {
    diskMbytes,
    ...(countsProcessesPerNamespace(user?.uid) && { processes: maxProcesses }),
  });
  const lines = bridges.map(({ port }) => `${port} ${socketInside(port)}`);
  const bridged = isBridged(program)
    ? [files.node, BRIDGE_INSIDE, lines.join('\n'), String(inboundSocket?.port ?? 0)]
    : [];
  const asUser = user?.words ?? [];
  const loader = Object.entries(env).filter(([name]) => isLoaderVariable(name));
  const loaded = loader.length === 0 ? [] : ['/usr/bin/env', ...loader.map((pair) => pair.join('='))];
  return {
    // The arguments hold the environment, with secrets, and everybody on this machine can list command lines.
    words: [
      ...(network === 'private' ? [] : asUser),
      tools.bwrap,
      '--args',
      '4',
      '--json-status-fd',
      '5',
      '--',
      ...limits,
      ...bridged,
      ...loaded,
      ...command,
    ],
    input: bubblewrapWords(program, files, abilities)
      .map((word) => `${word}\0`)
      .join(''),
    writesState: true,
    ...(network === 'private' && { network: privateNetworkOf(tools, asUser) }),
    ...(inboundSocket && { inboundSocket }),
    env: {},
    folder: '/',
    traits: user ? { uid: user.uid } : {},
    release: () => user?.release(),
  };
}

/** A program that does nothing, for trying what works on this machine. */
export const PROBE_PROGRAM: Program = {
  id: 'probe',
  command: ['/bin/sh', '-c', ':'],
  env: {},
  folder: '/tmp',
  readable: [],
  output: '/dev/null',
  memoryMbytes: 128,
  diskMbytes: 1,
  network: 'host',
};

/** Tries bubblewrap with all that a program gets. Rejects with what it says where it does not work, such as in most containers. */
export async function probeBubblewrap(
  bwrap: string,
  { asUser = [], disablesNamespaces }: BubblewrapAbilities & { asUser?: readonly string[] },
): Promise<void> {
  const files = { system: systemWords(), node: '/usr' };
  const words = bubblewrapWords(PROBE_PROGRAM, files, { disablesNamespaces });
  await runProbe([...asUser, bwrap, ...words, '--', ...PROBE_PROGRAM.command]);
}

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
