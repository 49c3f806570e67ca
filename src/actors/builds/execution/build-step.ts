// Runs the programs of a build in the sandbox, such as installations and the build command of an Actor.
import { mkdir, symlink } from 'node:fs/promises';
import { join, delimiter } from 'node:path';
import { lookup } from 'node:dns/promises';
import { Failure } from '../../../kernel/failure.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { isLoopbackName } from '../../../kernel/network/loopback-name.ts';
import type { LogWriter } from '../../logs/log-writer.ts';
import { explainLimit, type Program, type RunningProgram, type ProgramBridge } from '../../runner/runner.ts';
import { removeTree } from '../../runner/remove-tree.ts';
import { openForwarder, type Forwarder } from '../../runner/program-sockets.ts';
import type { Build } from '../model.ts';
import type { Toolchain } from './toolchain.ts';
import type { BuildCommand } from '../definition/commands.ts';
import { copyFolder, isFolder, sealFolder } from './work-folders.ts';

export interface StepContext {
  build: Pick<Build, 'id' | 'userId' | 'options'>;
  toolchain: Toolchain;
  /** A folder of the programs of this step alone, the only one that they can write to. */
  box: string;
  /** Environment variables of the version, where they apply to builds. */
  env: Record<string, string>;
  log: LogWriter;
  signal: AbortSignal;
}

/** One program of a build: an installation, or the Actor's own build command. */
interface BuildStep extends Pick<Program, 'command' | 'network'> {
  /** How messages name it. */
  name: string;
  env: Record<string, string>;
  /** Beside Node and npm. */
  readable?: readonly string[];
}

/** Its output goes to the log of the build. Throws where it fails. */
export async function runStep(
  { services: { runner }, settings }: Kernel,
  { build, toolchain, box, env, log, signal }: StepContext,
  step: BuildStep,
): Promise<void> {
  signal.throwIfAborted();
  const home = join(box, 'home');
  await mkdir(home, { recursive: true });
  const trusted = trustedVariables();
  const registries = step.network === 'private' ? await openRegistries(settings.execution.work, trusted) : [];
  try {
    const program = await runner.start({
      id: build.id,
      command: step.command,
      env: {
        ...env,
        ...trusted,
        PATH: toolchain.path,
        ...step.env,
        HOME: home,
        CI: 'true',
        LANG: 'C.UTF-8',
      },
      folder: box,
      readable: [...toolchain.readable, ...(step.readable ?? [])],
      output: log.file,
      memoryMbytes: build.options.memoryMbytes,
      diskMbytes: build.options.diskMbytes,
      network: step.network,
      bridges: registries,
    });
    await waitForStep(program, step.name, signal);
  } finally {
    for (const registry of registries) registry.close();
  }
}

async function waitForStep(program: RunningProgram, name: string, signal: AbortSignal): Promise<void> {
  const kill = () => program.stop('kill');
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const { code, exceeded } = await program.exited;
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (exceeded !== undefined)
    throw new StepFailed(`${name} was stopped: ${explainLimit(exceeded, 'the build')}.`, code);
  if (code !== 0) throw new StepFailed(`${name} failed with exit code ${code ?? 'unknown'}.`, code);
}

export class StepFailed extends Failure {
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null) {
    super('invalid', message);
    this.exitCode = exitCode;
  }
}

const CERTIFICATES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'PIP_CERT',
  'REQUESTS_CA_BUNDLE',
];

/** Of the server's own environment: where certificates and the registry are, and nothing that could be a secret. */
function trustedVariables(own: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const certificates = CERTIFICATES.flatMap((name): [string, string][] => {
    const path = own[name];
    return path !== undefined && /^\/(etc\/ssl|usr)\//.test(path) ? [[name, path]] : [];
  });
  const places = [
    ['npm_config_registry', own['npm_config_registry'] ?? own['NPM_CONFIG_REGISTRY']],
    ['PIP_INDEX_URL', own['PIP_INDEX_URL']],
  ].flatMap(([name, address]): [string, string][] => {
    const url = URL.parse(address ?? '');
    const isPlain = url !== null && url.username === '' && url.password === '';
    return isPlain ? [[name!, url.href]] : [];
  });
  return Object.fromEntries([...certificates, ...places]);
}

const REGISTRY_VARIABLES = ['npm_config_registry', 'PIP_INDEX_URL'];

/** Inside, they are on the same ports of loopback as outside. Ports of the system cannot be had there. */
async function openRegistries(
  work: string,
  variables: Readonly<Record<string, string>>,
): Promise<(ProgramBridge & Forwarder)[]> {
  const opened = new Map<number, ProgramBridge & Forwarder>();
  for (const name of REGISTRY_VARIABLES) {
    const url = URL.parse(variables[name] ?? '');
    if (url === null) continue;
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const host = url.hostname.replaceAll(/[[\]]/g, '');
    if (port < 1024 || opened.has(port) || !(await isOnLoopback(host))) continue;
    opened.set(port, { port, ...(await openForwarder(work, { host, port })) });
  }
  return [...opened.values()];
}

async function isOnLoopback(host: string): Promise<boolean> {
  if (isLoopbackName(host)) return true;
  const found = await lookup(host).catch(() => undefined);
  return found !== undefined && isLoopbackName(found.address);
}

interface Compilation extends StepContext {
  command: BuildCommand;
  /** The folder with packages that the command needs, which stays as it is. */
  dependencies?: string;
  /** What the command must be able to read beside Node and npm. */
  readable: readonly string[];
  /** Absent where the box contains a copy of the sources already, with its packages. */
  sources?: string;
  /** The folder for the result, which does not exist yet. */
  target: string;
}

/** Fills the target with what the command leaves of the sources, without packages and without links. */
export async function compileSources(kernel: Kernel, compilation: Compilation): Promise<void> {
  const { box, sources, dependencies, toolchain, command, log, target } = compilation;
  const app = join(box, 'app');
  if (sources !== undefined) await copyFolder(sources, app, PACKAGES);
  for (const name of PACKAGES) {
    if (dependencies !== undefined && (await isFolder(join(dependencies, name))))
      await symlink(join(dependencies, name), join(app, name));
  }
  log.write(`ACTOR: Running the build command ${describeCommand(command)}.`);
  await runStep(kernel, compilation, {
    name: `The build command ${describeCommand(command)}`,
    command: ['/bin/sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', app, ...wordsOf(command, compilation)],
    network: kernel.settings.execution.network,
    env: {
      PATH: [join(app, 'node_modules', '.bin'), join(app, 'venv', 'bin'), toolchain.path].join(delimiter),
      npm_config_update_notifier: 'false',
    },
    readable: compilation.readable,
  });
  // First: the command may have put a link in place of the folder, and what it leads to is not ours to delete.
  if (!(await isFolder(app)))
    throw new Failure('invalid', 'The build command has replaced its folder by something else.');
  for (const name of PACKAGES) await removeTree(join(app, name));
  await sealFolder(app);
  // The server reads files of the result, so there must be no link to anywhere.
  await copyFolder(app, target);
}

const PACKAGES = ['node_modules', 'venv'];

function wordsOf(command: BuildCommand, { toolchain: { npm } }: Compilation): readonly string[] {
  switch (command.by) {
    case 'npm':
      if (npm === undefined) throw new Failure('invalid', 'This server has no npm, which the build needs.');
      return [process.execPath, npm, 'run', command.script];
    case 'shell':
      return ['/bin/sh', '-c', command.script];
    default:
      return command.command;
  }
}

function describeCommand(command: BuildCommand): string {
  switch (command.by) {
    case 'npm':
      return `"npm run ${command.script}"`;
    case 'shell':
      return JSON.stringify(command.script);
    default:
      return JSON.stringify(command.command.join(' '));
  }
}
