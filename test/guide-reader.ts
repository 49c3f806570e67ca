// A reader of a guide: an empty server, a folder like a clone, and a shell in which nothing is set but what the guide sets.
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { makeFolder } from '../src/cli/fixture.ts';
import type { Config } from '../src/app/config.ts';
import { followGuide, type GuideOptions } from './guides.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from './server.ts';
import { migratedFile } from './templates.ts';

const ROOT = dirname(import.meta.dirname);

/** Somebody who uses git has told it who they are. */
const GIT_CONFIG = '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n';

export interface Reader {
  server: TestServer;
  cwd: string;
  env: Record<string, string | undefined>;
  /** What the start of the server has shown, for what stands in the guides. */
  replace: Record<string, string>;
  follow(path: string, options?: Pick<GuideOptions, 'sections' | 'replace'>): Promise<void>;
}

/** The test stops the server. */
export async function startReader(settings: Partial<Config> = {}): Promise<Reader> {
  const cwd = makeClone();
  const data = join(cwd, 'data');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'signalbox.db'), await migratedFile());
  const server = await startServer({ data, ...settings });
  const env = environmentIn(cwd);
  const replace = whatIsShown(server.url, ADMIN_TOKEN);
  return {
    server,
    cwd,
    env,
    replace,
    follow: (path, options = {}) =>
      followGuide(path, { ...options, cwd, env, replace: { ...replace, ...options.replace } }),
  };
}

/** A folder in which commands find what they find in a clone, and a data folder of its own. */
export function makeClone(): string {
  const folder = makeFolder();
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of ['launch.mjs', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name));
  writeFileSync(join(folder, '.gitconfig'), GIT_CONFIG);
  return folder;
}

/** The programs of the machine, and nothing of this server. */
export function environmentIn(folder: string): Record<string, string | undefined> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { HOME: folder, PATH: [dirname(process.execPath), PATH].join(delimiter), NODE_COMPILE_CACHE };
}

export function whatIsShown(url: string, token: string): Record<string, string> {
  return { 'npm start': 'true', 'http://127.0.0.1:8080': url, 'api-…': token };
}
