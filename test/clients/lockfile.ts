// The lockfile of an Actor that uses some packages of this repository, in the same versions.
import { readFileSync } from 'node:fs';

interface LockedPackage {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  dev?: boolean;
  devOptional?: boolean;
}

export interface PackageFiles {
  'package.json': string;
  'package-lock.json': string;
}

/** With a lockfile a release of some other package cannot change what the test installs. */
export function packageFilesFor(names: readonly string[], manifest: object): PackageFiles {
  const own = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const locked: Record<string, LockedPackage> = {};
  const visit = (name: string, from: string): void => {
    const path = locate(own.packages, name, from);
    if (path === undefined || path in locked) return;
    const { dev: _, devOptional: __, ...found } = own.packages[path]!;
    locked[path] = found;
    for (const next of dependenciesOf(found)) visit(next, path);
  };
  for (const name of names) visit(name, '');
  const dependencies = Object.fromEntries(
    names.map((name) => [name, own.packages[`node_modules/${name}`]!.version]),
  );
  const root = { name: 'actor', version: '1.0.0', dependencies };
  return {
    'package.json': JSON.stringify({ ...root, ...manifest }),
    'package-lock.json': JSON.stringify({
      ...root,
      dependencies: undefined,
      lockfileVersion: 3,
      requires: true,
      packages: { '': root, ...locked },
    }),
  };
}

function dependenciesOf(locked: LockedPackage): string[] {
  const peers = Object.keys(locked.peerDependencies ?? {}).filter(
    (name) => locked.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [
    ...Object.keys(locked.dependencies ?? {}),
    ...Object.keys(locked.optionalDependencies ?? {}),
    ...peers,
  ];
}

/** As Node looks for it: beside the package, then in the folders above. */
function locate(packages: Record<string, unknown>, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (folder === '') return undefined;
  }
}
