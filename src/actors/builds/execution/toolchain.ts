// The interpreters and package managers of this machine, as programs of users get them.
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../../kernel/failure.ts';
import type { BuildRuntime } from '../model.ts';

export interface Toolchain {
  /** The PATH of programs: a folder with node, npm and npx, and those of the system. */
  path: string;
  /** The entry file of npm, which runs by this server's own Node. */
  npm: string | undefined;
  python: PythonTool | undefined;
  /** Files and folders that programs need for Node and npm. */
  readable: readonly string[];
}

export interface PythonTool {
  program: string;
  /** Whether packages can be installed: some systems ship Python without pip. */
  hasPip: boolean;
  readable: readonly string[];
}

/** Throws where this machine lacks what an Actor needs of Python. */
export function checkPython(
  { start, install }: Partial<BuildRuntime>,
  { python }: Pick<Toolchain, 'python'>,
): void {
  if (start?.by !== 'python' && install !== 'pip') return;
  if (python === undefined) {
    throw new Failure(
      'invalid',
      'This Actor needs Python 3, and this server has none. Install Python 3 on its machine, restart it, and try again.',
    );
  }
  if (install === 'pip' && !python.hasPip) {
    throw new Failure(
      'invalid',
      'requirements.txt needs pip and venv, and the Python of this server lacks them. Install both on its machine, restart it, and try again.',
    );
  }
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

export async function openToolchain(work: string): Promise<Toolchain> {
  const npm = findNpm();
  const bin = await writeBin(join(work, 'bin'), npm);
  return {
    path: `${bin}${delimiter}${SYSTEM_PATH}`,
    npm,
    python: await findPython(),
    readable: [bin, process.execPath, ...(npm === undefined ? [] : [dirname(dirname(npm))])],
  };
}

/** Beside Node, or by the PATH. */
function findNpm(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const candidates = [
    beside,
    ...[dirname(process.execPath), ...folders].map((folder) => join(folder, 'npm')),
  ];
  return candidates.flatMap((file) => realPathOf(file) ?? []).find((file) => basename(file) === 'npm-cli.js');
}

function realPathOf(file: string): string | undefined {
  return existsSync(file) ? realpathSync(file) : undefined;
}

/** Written aside and renamed, as other servers may use the same folder. */
async function writeBin(folder: string, npm: string | undefined): Promise<string> {
  const bin = join(folder, `node-${process.version}`);
  const fresh = join(folder, `.${randomUUID()}`);
  await mkdir(fresh, { recursive: true });
  await symlink(process.execPath, join(fresh, 'node'));
  if (npm !== undefined) {
    await writeScript(join(fresh, 'npm'), npm);
    await writeScript(join(fresh, 'npx'), join(dirname(npm), 'npx-cli.js'));
  }
  await rm(bin, { recursive: true, force: true });
  await rename(fresh, bin).catch(() => rm(fresh, { recursive: true, force: true }));
  return bin;
}

async function writeScript(file: string, entry: string): Promise<void> {
  const quoted = [process.execPath, entry].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
  await writeFile(file, `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`);
  await chmod(file, 0o755);
}

const run = promisify(execFile);
const DESCRIBE_PYTHON =
  'import sys, json, importlib.util as u\n' +
  'print(json.dumps([sys.executable, sys.base_prefix, all(u.find_spec(m) for m in ("pip", "venv"))]))';

/** The system's first, which every sandbox can read; else one of the PATH, best one with pip. */
async function findPython(): Promise<PythonTool | undefined> {
  const folders = [...SYSTEM_PATH.split(delimiter), ...(process.env['PATH'] ?? '').split(delimiter)];
  const found: PythonTool[] = [];
  for (const folder of new Set(folders)) {
    const file = join(folder, 'python3');
    if (!folder.startsWith('/') || !existsSync(file)) continue;
    const described = await describePython(file);
    if (described?.hasPip === true) return described;
    if (described !== undefined) found.push(described);
  }
  return found[0];
}

async function describePython(file: string): Promise<PythonTool | undefined> {
  try {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    const { stdout } = await run(file, ['-I', '-c', DESCRIBE_PYTHON], { env, timeout: 20_000 });
    const [program, prefix, hasPip] = JSON.parse(stdout) as [string, string, boolean];
    const isOfSystem = prefix === '/usr' || prefix.startsWith('/usr/');
    return { program, hasPip, readable: isOfSystem ? [] : [prefix] };
  } catch {
    // A shim without a Python behind it.
    return undefined;
  }
}
