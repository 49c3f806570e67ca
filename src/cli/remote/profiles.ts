// Saved servers with their tokens, by name, in a file that only its owner can read.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../kernel/failure.ts';
import { keepPrivate, PRIVATE_FILE } from '../../kernel/storage/disk/private-files.ts';
import type { Io } from '../io.ts';

export interface Profile {
  url: string;
  token: string;
}

export interface Profiles {
  /** The one that is used where none is named. */
  current?: string;
  profiles: Record<string, Profile>;
}

const NAME = /^[\w.-]{1,64}$/;

/** Undefined where the environment names no home. */
function profilesFile({ env }: Pick<Io, 'env'>): string | undefined {
  const folder = env['XDG_CONFIG_HOME'] || env['APPDATA'] || (env['HOME'] && join(env['HOME'], '.config'));
  return folder ? join(folder, 'signalbox', 'profiles.json') : undefined;
}

export function readProfiles(io: Pick<Io, 'env'>): Profiles {
  const file = profilesFile(io);
  if (file === undefined) return { profiles: {} };
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new Failure('invalid', `The profiles in ${file} cannot be read: ${(error as Error).message}.`);
  }
  // A copy may have made it readable for others.
  keepPrivate(file);
  try {
    const { current, profiles } = JSON.parse(content) as Profiles;
    const own = new Map(Object.entries(profiles));
    return { profiles: Object.fromEntries(own), ...(current !== undefined && { current }) };
  } catch {
    throw new Failure('invalid', `The file ${file} has no profiles: repair it, or delete it.`);
  }
}

/** The file is never readable for others, and never half there. */
export function saveProfiles(io: Pick<Io, 'env'>, profiles: Profiles): string {
  const file = profilesFile(io);
  if (file === undefined)
    throw new Failure('invalid', 'There is no place for profiles: set HOME or XDG_CONFIG_HOME.');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: PRIVATE_FILE, flush: true });
  renameSync(draft, file);
  return file;
}

export function requireProfileName(name: string): string {
  if (NAME.test(name) && name !== '__proto__') return name;
  throw new Failure('invalid', `"${name}" cannot be the name of a profile: use letters, digits, . _ and -.`);
}

export function requireProfile(
  { profiles }: Profiles,
  name: string,
  { program }: Pick<Io, 'program'>,
): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  throw new Failure('not-found', `There is no profile "${name}": ${program} profile ls shows them.`);
}
