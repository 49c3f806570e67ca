// Decides which folder of dependencies a build needs, by all that decides what is in it, such as package.json and the lockfile.
import { createHash } from 'node:crypto';
import { isObject } from '../../../kernel/json/json-value.ts';
import { hashFolder } from '../../sources/pack.ts';
import type { Build, BuildRuntime } from '../model.ts';
import { readerOf, badDefinition, type SourceReader } from './source-reader.ts';

export type DependencyPlan =
  | { kind: 'npm'; key: string; manifest: NodeManifest }
  | { kind: 'pip'; key: string };

/** Changes when folders of an older release cannot be used any more. */
const FORMAT = 1;
const MAX_REQUIREMENTS_BYTES = 1024 * 1024;

/** Undefined where there is nothing to install. */
export async function planDependencies(
  build: Pick<Build, 'id' | 'userId' | 'options'>,
  install: BuildRuntime['install'],
  sources: string,
  env: Record<string, string>,
  packages: PackageSet = 'production',
): Promise<DependencyPlan | undefined> {
  if (install === null) return undefined;
  const { useCache } = build.options;
  if (install === 'pip') {
    const requirements = (await readerOf(sources).read('requirements.txt', MAX_REQUIREMENTS_BYTES)) ?? '';
    const { isPinned, needsSources } = parseRequirements(requirements);
    const isFresh = useCache === false || (useCache === undefined && !isPinned);
    const content = needsSources ? await hashFolder(sources) : '';
    return { kind: 'pip', key: keyOf(build, isFresh, [install, requirements, content, env]) };
  }
  const manifest = await readManifest(readerOf(sources), packages);
  if (!manifest.needsInstall) return undefined;
  const isFresh = useCache === false || (useCache === undefined && !manifest.hasLockfile);
  const content = manifest.needsSources ? await hashFolder(sources, { without: ['node_modules'] }) : '';
  return { kind: 'npm', manifest, key: keyOf(build, isFresh, [install, manifest.parts, content, env]) };
}

/** A line that names a package and nothing else can be judged alone; others may refer to files of the sources. */
function parseRequirements(text: string): { isPinned: boolean; needsSources: boolean } {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  const named = lines.filter((line) => line !== '');
  return {
    isPinned: named.every((line) => line.includes('==')),
    needsSources: named.some((line) => !/^[A-Za-z0-9]/.test(line) || /@\s*file:|\.(whl|zip|gz)$/.test(line)),
  };
}

/** The account is part of it: an install script of one must never fill a folder that another runs. */
function keyOf({ id, userId }: Pick<Build, 'id' | 'userId'>, isFresh: boolean, parts: unknown[]): string {
  const text = JSON.stringify([FORMAT, userId, isFresh ? id : null, ...parts]);
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

/** Compiled packages depend on these, and nodes may differ. */
export function dependencyFolderName(key: string): string {
  return `${key}-${process.version}-${process.platform}-${process.arch}`;
}

/** A run needs those for production; the Actor's own build command needs all. */
type PackageSet = 'production' | 'all';

export interface NodeManifest {
  /** Which packages are installed. */
  packages: PackageSet;
  /** Whether there is anything to install at all. */
  needsInstall: boolean;
  hasLockfile: boolean;
  /** Whether packages come from folders of the sources, or scripts of the Actor itself run: npm then needs all sources. */
  needsSources: boolean;
  /** Whether scripts of the Actor itself run, which may write files into its sources. */
  hasScripts: boolean;
  /** All that decides which packages are installed. */
  parts: string[];
}

const MAX_PACKAGE_BYTES = 1024 * 1024;
const MAX_LOCKFILE_BYTES = 20 * 1024 * 1024;
export const LOCKFILES = ['npm-shrinkwrap.json', 'package-lock.json'];
const INSTALLED = ['dependencies', 'optionalDependencies', 'peerDependencies', 'workspaces'];
const DECIDING = [
  ...INSTALLED,
  'devDependencies',
  'overrides',
  'bundleDependencies',
  'bundledDependencies',
  'os',
  'cpu',
  'engines',
];
const SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

export async function readManifest(
  reader: SourceReader,
  packages: PackageSet = 'production',
): Promise<NodeManifest> {
  const text = (await reader.read('package.json', MAX_PACKAGE_BYTES)) ?? '{}';
  const manifest: unknown = JSON.parse(text);
  if (!isObject(manifest)) throw badDefinition('package.json must contain a JSON object.');
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {};
  const own = SCRIPTS.filter((name) => typeof scripts[name] === 'string');
  let lockfile: string | undefined;
  for (const name of LOCKFILES) lockfile ??= await reader.read(name, MAX_LOCKFILE_BYTES);
  const settings = (await reader.read('.npmrc', MAX_PACKAGE_BYTES)) ?? '';
  const installed = packages === 'all' ? [...INSTALLED, 'devDependencies'] : INSTALLED;
  return {
    packages,
    needsInstall: own.length > 0 || installed.some((name) => !isEmpty(manifest[name])),
    hasLockfile: lockfile !== undefined,
    needsSources:
      own.length > 0 || hasFolders(manifest) || /"link":\s*true|"resolved":\s*"file:/.test(lockfile ?? ''),
    hasScripts: own.length > 0,
    parts: [
      packages,
      JSON.stringify(DECIDING.map((name) => manifest[name] ?? null)),
      JSON.stringify(own.map((name) => scripts[name])),
      lockfile ?? '',
      settings,
    ],
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether a package is a folder or an archive of the sources. */
function hasFolders(manifest: Record<string, unknown>): boolean {
  if (!isEmpty(manifest['workspaces'])) return true;
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'];
  return kinds.some((kind) => {
    const packages = manifest[kind];
    if (!isObject(packages)) return false;
    return Object.values(packages).some(
      (from) => typeof from === 'string' && /^(file:|link:|[./~])/.test(from),
    );
  });
}
