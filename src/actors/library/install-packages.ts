// Installs the packages of an Actor of the library, as the server's own user: from npm's cache, or the registry that npm is set to.
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawn } from '../../kernel/network/streams.ts';
import { Failure } from '../../kernel/failure.ts';
import type { InstallRequest } from '../builds/install.ts';
import { sealFolder } from '../builds/work-folders.ts';

const FILES = ['package.json', 'package-lock.json'];
/** Variables of the server's environment that npm needs; `npm_config_` are its own settings. */
const PASSED =
  /^(HOME|USERPROFILE|APPDATA|LOCALAPPDATA|XDG_\w+|PATH|TMPDIR|TEMP|TMP|LANG|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(HTTPS?|ALL|NO)_PROXY|npm_config_\w+)$/i;
/** npm sets them for the programs that it starts, and they say nothing about this installation. */
const NOT_PASSED =
  /^npm_config_(local_prefix|prefix|global\w*|location|omit|include|production|only|user_agent)$/i;

/**
 * Nothing of the packages runs here: the lockfile, which is part of the release, has the hash of each, and their scripts are
 * not executed. So npm needs no sandbox, and can use the cache and the settings of the user who runs the server.
 */
export async function installLibraryPackages(request: InstallRequest): Promise<string> {
  const { sources, box, toolchain, log, signal } = request;
  const { npm } = toolchain;
  if (npm === undefined)
    throw new Failure('invalid', 'This server has no npm, which the packages of the Actor need.');
  const app = join(box, 'app');
  await mkdir(app, { recursive: true });
  for (const file of FILES) await copyFile(join(sources, file), join(app, file));
  log.write('ACTOR: Installing the packages of this Actor, once on this machine.');
  const args = ['ci', '--prefix', app, '--omit=dev', '--ignore-scripts', '--prefer-offline'];
  const quick = ['--no-audit', '--no-fund', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const errors: string[] = [];
  const child = spawn(process.execPath, [npm, ...args, ...quick], {
    cwd: app,
    env: environment(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      log.write(line);
      const error = /^npm (?:error|ERR!) (.*)/.exec(line)?.[1];
      if (error !== undefined) errors.push(error);
    });
  }
  const code = await ended;
  signal.throwIfAborted();
  if (code !== 0) throw notInstalled(errors);
  await sealFolder(app);
  return app;
}

function environment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(own).filter(([name]) => PASSED.test(name) && !NOT_PASSED.test(name));
  return {
    ...Object.fromEntries(passed),
    CI: 'true',
    npm_config_update_notifier: 'false',
    npm_config_color: 'false',
    npm_config_progress: 'false',
    npm_config_loglevel: 'warn',
  };
}

function notInstalled(errors: readonly string[]): Failure {
  const kind = errors.flatMap((line) => /^code (\w+)/.exec(line)?.[1] ?? [])[0];
  const reason = errors.find((line) => !/^(code|errno|syscall|A complete log)/.test(line));
  const words = [kind, reason].filter((word) => word !== undefined).join(': ');
  return new Failure(
    'invalid',
    `its packages are not on this machine yet and could not be fetched (npm says ${words === '' ? 'nothing more' : words}). ` +
      'They are installed once, from the registry that npm is set to or from its cache: ' +
      'connect this machine to that registry, see `npm config get registry`, and run the Actor again.',
  );
}
