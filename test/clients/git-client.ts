// Runs the real git as a user does: with a home of its own, no questions, and the token of a person as the password.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { atEndOfFile } from '../cleanup.ts';

export interface GitRun {
  code: number;
  stdout: string;
  /** What the person sees. */
  stderr: string;
}

/** A folder in which one person works; deleted at the end of the file. */
export class GitClient {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(name = 'Ada') {
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-client-'));
    atEndOfFile(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 }));
    const email = `${name.toLowerCase()}@example.com`;
    this.#env = {
      PATH: process.env.PATH,
      HOME: this.folder,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    };
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), content);
  }

  /** In a folder of the person, however it ends. */
  try(inside: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<GitRun> {
    return new Promise((resolve) => {
      const options = { cwd: this.path(inside), env: { ...this.#env, ...env }, maxBuffer: 64 * 1024 ** 2 };
      execFile('git', [...DEFAULTS, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
  }

  /** Returns what it prints, and fails the test where git fails. */
  async run(inside: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(inside, args);
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout.trim();
  }

  start(inside: string, ...args: string[]): ChildProcess {
    const options = { cwd: this.path(inside), env: this.#env, stdio: 'pipe' as const };
    return spawn('git', [...DEFAULTS, ...args], options);
  }

  /** A new working folder with one commit on `main`. */
  async begin(
    name: string,
    files: Record<string, string | Buffer> = { 'README.md': '# Hello\n' },
  ): Promise<void> {
    mkdirSync(this.path(name), { recursive: true });
    await this.run(name, 'init', '--quiet');
    await this.commit(name, files, 'First');
  }

  /** Returns the id of the commit. */
  async commit(name: string, files: Record<string, string | Buffer>, message = 'Change'): Promise<string> {
    for (const [path, content] of Object.entries(files)) this.write(join(name, path), content);
    await this.run(name, 'add', '--all');
    await this.run(name, 'commit', '--quiet', '--allow-empty', '-m', message);
    return await this.run(name, 'rev-parse', 'HEAD');
  }
}

const DEFAULTS = ['-c', 'init.defaultBranch=main', '-c', 'protocol.version=2', '-c', 'gc.auto=0'];

/** The address of a repository with a token in it. */
export function gitUrl(server: { url: string }, token: string | undefined, fullName: string): string {
  const { host } = new URL(server.url);
  return `http://${token === undefined ? '' : `x-access-token:${token}@`}${host}/${fullName}.git`;
}
