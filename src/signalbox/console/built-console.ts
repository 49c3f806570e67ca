// The files of the console. In a clone a child process builds them after the start; the package has them.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guarded, spawn } from '../../kernel/network/streams.ts';
import type { Logger } from '../../kernel/observability/log.ts';

/** In the package, and in a clone. */
const FOLDERS = ['./console/', '../../../console/dist/'].map((path) => new URL(path, import.meta.url));
/** Only a clone has it. */
const BUILDER = new URL('../../../scripts/console.ts', import.meta.url);
/** Below other programs, so that calls are answered meanwhile. */
const LOW_PRIORITY = 10;
/** Names that a build has: nothing else is looked for. */
const ASSET = /^[\w-]+(?:\.[\w-]+)*\.(?<type>js|css|svg|map)$/;

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  map: 'application/json',
};

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface Asset {
  type: string;
  /** Undefined for bytes as they are. */
  encoding?: string;
  bytes: Buffer;
}

export class BuiltConsole {
  /** Where a bundler serves the sources while they are being worked on: `npm run console`. */
  readonly bundler: string | undefined;

  constructor(bundler = process.env['CONSOLE_BUNDLER_URL']) {
    this.bundler = bundler;
  }

  /** Why there is no page now; undefined where there is one, or nobody has tried to make one. */
  state: { kind: 'idle' } | { kind: 'building' } | { kind: 'failed'; reason: string } = { kind: 'idle' };

  /** The page without its base and nonce; undefined where it is not built. */
  async readPage(): Promise<string | undefined> {
    if (this.bundler !== undefined) return await (await fetch(`${this.bundler}/console/`)).text();
    return (await this.#read('index.html'))?.toString();
  }

  /** `accepted` is the header `Accept-Encoding`. */
  async readAsset(name: string, accepted: string): Promise<Asset | undefined> {
    const type = TYPES[ASSET.exec(name)?.groups?.['type'] ?? ''];
    if (type === undefined) return undefined;
    for (const [encoding, ending] of ENCODINGS) {
      if (!new RegExp(`\\b${encoding}\\b`).test(accepted)) continue;
      const bytes = await this.#read(`assets/${name}${ending}`);
      if (bytes !== undefined) return { type, encoding, bytes };
    }
    const bytes = await this.#read(`assets/${name}`);
    return bytes && { type, bytes };
  }

  async #read(path: string): Promise<Buffer | undefined> {
    for (const folder of FOLDERS) {
      try {
        return await readFile(new URL(path, folder));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    return undefined;
  }

  /** Where its sources are. It is current in an instant where they have not changed. */
  build(log: Logger): void {
    const script = fileURLToPath(BUILDER);
    if (!existsSync(script) || this.bundler !== undefined) return;
    this.state = { kind: 'building' };
    const child = spawn(process.execPath, [script], {
      cwd: dirname(dirname(script)),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    lowerPriority(child.pid);
    let words = '';
    const fail = (reason: string) => {
      this.state = { kind: 'failed', reason };
      log.warn({ reason }, 'the console could not be built; the APIs work without it');
    };
    child.stderr.setEncoding('utf8').on(
      'data',
      guarded(
        (text: string) => void (words = (words + text).slice(-4000)),
        ({ message }) => fail(message),
      ),
    );
    child.on('error', (error) => fail(error.message));
    child.on('close', (code) => {
      if (code === 0) this.state = { kind: 'idle' };
      else if (this.state.kind === 'building') fail(words.trim() || `The build ended with ${code}`);
    });
    process.once('exit', () => child.kill());
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY);
  } catch {
    // It is over already, or the system does not allow it.
  }
}
