// The Actors that come with the program, as the folder `actors-library` has them; a node stores their built sources when it first needs them, so that starts of servers cost little.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIBRARY_ID } from '../../kernel/identity/store-accounts.ts';
import { createReadStream } from '../../kernel/network/streams.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ActorFields } from '../actors/store.ts';
import { DEFAULT_RUN_OPTIONS } from '../actors/model.ts';
import { readDefinition, readStart } from '../builds/actor-definition.ts';
import { planDependencies } from '../builds/dependency-plan.ts';
import type { Build } from '../builds/model.ts';
import { readerOf } from '../builds/source-reader.ts';
import { hashFolder, type PackOptions, packFolder } from '../sources/pack.ts';
import { BUILD_FOLDERS, makeTemporaryFolder, makeWorkFolder } from '../builds/work-folders.ts';
import { removeTree } from '../runner/remove-tree.ts';

export interface LibraryActor {
  folder: string;
  fields: ActorFields;
  version: string;
  /** The source files, as versions store them. */
  source: string;
  /** What a build of these sources has. */
  build: Pick<Build, 'dependencies' | 'runtime' | 'definition' | 'inputSchema' | 'readme' | 'changelog'> & {
    sources: string;
  };
}

/** In the package it is beside the bundle, in a clone at the top. */
const FOLDERS = ['./actors-library/', '../../../actors-library/'];
/** What is in the folder of an Actor and not part of it. */
const NOT_SOURCES: PackOptions = { without: ['test', 'node_modules'] };
/** A crawl may take long. */
const TIMEOUT_SECS = 24 * 60 * 60;

let library: Promise<readonly LibraryActor[]> | undefined;

/** Read once per process: the files belong to the release. */
export function readLibrary(): Promise<readonly LibraryActor[]> {
  return (library ??= readActors());
}

async function readActors(): Promise<LibraryActor[]> {
  const parent = await findFolder();
  const names = await readdir(parent);
  return await Promise.all(names.sort().map((name) => readActor(join(parent, name))));
}

async function findFolder(): Promise<string> {
  for (const folder of FOLDERS) {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return path;
  }
  throw new Error('The folder actors-library is missing: the installation is not complete.');
}

async function readActor(folder: string): Promise<LibraryActor> {
  const reader = readerOf(folder);
  const { definition, inputSchema, readme, changelog, install } = await readDefinition(reader);
  const { name, title, description, version, categories } = definition as Record<string, string> & {
    categories: string[];
  };
  const example = await readFile(join(folder, 'example-input.json'), 'utf8');
  const unbuilt = { id: '', userId: LIBRARY_ID, options: { memoryMbytes: 0, diskMbytes: 0 } };
  const plan = await planDependencies(unbuilt, install, folder, {});
  return {
    folder,
    version: version!,
    fields: {
      name: name!,
      title: title!,
      description: description!,
      isPublic: true,
      permissionLevel: 'LIMITED_PERMISSIONS',
      runOptions: { ...DEFAULT_RUN_OPTIONS, timeoutSecs: TIMEOUT_SECS },
      details: {
        isSourceCodeHidden: false,
        categories,
        exampleRunInput: { body: example.trim(), contentType: 'application/json; charset=utf-8' },
      },
    },
    source: JSON.stringify({ sourceFiles: await readFiles(folder) }),
    build: {
      sources: await hashFolder(folder, NOT_SOURCES),
      dependencies: plan?.key ?? null,
      runtime: { start: await readStart(reader), install },
      definition,
      inputSchema: inputSchema && JSON.stringify(JSON.parse(inputSchema)),
      readme,
      changelog,
    },
  };
}

async function readFiles(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !NOT_SOURCES.without!.includes(name.split('/')[0]!));
  return await Promise.all(
    names.sort().map(async (name) => {
      const content = await readFile(join(folder, name), 'utf8');
      return { name, format: 'TEXT', content };
    }),
  );
}

/** False where they are not the sources of an Actor of this release. */
export async function storeLibrarySources(
  { blobs, settings }: Kernel,
  hash: string,
  blob: string,
): Promise<boolean> {
  const own = (await readLibrary()).find(({ build }) => build.sources === hash);
  if (own === undefined) return false;
  // Where what a crash leaves is swept.
  const parent = await makeWorkFolder(settings.execution.work, BUILD_FOLDERS);
  const temporary = await makeTemporaryFolder(parent, 'library');
  try {
    const archive = join(temporary, 'sources.tgz');
    const packed = await packFolder(own.folder, archive, NOT_SOURCES);
    if (packed.hash !== hash) throw new Error(`The files of ${own.fields.name} were changed`);
    await blobs.put(blob, createReadStream(archive));
    return true;
  } finally {
    await removeTree(temporary);
  }
}
