// Runs one program of a build in the sandbox.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { LogWriter } from '../logs/log-writer.ts';
import { explainLimit, type Program, type RunningProgram } from '../runner/runner.ts';
import { openRegistries } from './registries.ts';
import type { Build } from './model.ts';
import type { Toolchain } from './toolchain.ts';

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
export interface BuildStep extends Pick<Program, 'command' | 'network'> {
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
