// What package.json and the lockfile say about installing.
import { isObject } from '../../kernel/json/json-value.ts';
import { badDefinition, type SourceReader } from './source-reader.ts';

/** A run needs those for production; the Actor's own build command needs all. */
export type PackageSet = 'production' | 'all';

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
