// No isolation: programs run as the server's own user, with Node's permission flags as seat belts for Node programs.
import { dirname } from 'node:path';
import type { Launch } from '../launch.ts';
import { PROGRAM_VARIABLE } from '../process-table.ts';
import { type MachineTools, limitWords } from './machine-tools.ts';
import type { Program } from '../runner.ts';

export function launchPlainly(program: Program, tools: MachineTools, temporary: string): Launch {
  const { id, command, env, folder, diskMbytes, hasNodePermissions } = program;
  const flags = hasNodePermissions ? permissionFlags(program, temporary) : [];
  const options = [env['NODE_OPTIONS'], ...flags].filter((one) => one !== undefined);
  return {
    words: [
      ...(tools.setpriv === undefined ? [] : [tools.setpriv, '--pdeathsig', 'KILL', '--']),
      ...limitWords(tools.prlimit, { diskMbytes }),
      ...command,
    ],
    env: {
      TMPDIR: temporary,
      ...env,
      ...(options.length > 0 && { NODE_OPTIONS: options.join(' ') }),
      [PROGRAM_VARIABLE]: id,
    },
    folder,
    traits: { variable: `${PROGRAM_VARIABLE}=${id}` },
    temporary,
    release: () => {},
  };
}

/** What programs read of the system. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/proc', '/sys', '/nix'];

/** Not the whole folder: /dev/shm may hold anything. */
const DEVICES = ['null', 'zero', 'random', 'urandom', 'tty', 'stdin', 'stdout', 'stderr', 'fd', 'pts'].map(
  (name) => `/dev/${name}`,
);

/** They keep honest programs away from the server's data; a program in another language, or a hostile one, they do not stop. */
export function permissionFlags(
  { folder, readable }: Pick<Program, 'folder' | 'readable'>,
  temporary: string,
  supported: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): string[] {
  const written = [folder, temporary, ...DEVICES];
  const read = [...written, ...readable, dirname(dirname(process.execPath)), ...SYSTEM_FOLDERS];
  return [
    '--permission',
    ...read.map((path) => `--allow-fs-read=${quote(path)}`),
    ...written.map((path) => `--allow-fs-write=${quote(path)}`),
    ...[
      '--allow-child-process',
      '--allow-worker',
      '--allow-addons',
      '--allow-wasi',
      '--allow-net',
      '--allow-inspector',
    ].filter((flag) => supported.has(flag)),
    '--disable-warning=SecurityWarning',
  ];
}

/** As Node splits NODE_OPTIONS. */
function quote(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"` : path;
}
