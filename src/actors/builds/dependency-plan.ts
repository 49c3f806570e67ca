// Decides which folder of dependencies a build needs, by all that decides what is in it.
import { createHash } from 'node:crypto';
import { hashFolder } from '../sources/pack.ts';
import type { Build, BuildRuntime } from './model.ts';
import { readManifest, type NodeManifest, type PackageSet } from './node-manifest.ts';
import { readerOf } from './source-reader.ts';

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
