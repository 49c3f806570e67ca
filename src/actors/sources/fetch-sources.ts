// Fetches the sources of a version into a folder, whatever form they have.
import type { VersionSource, SourceFile, SourceFolder } from '../actors/version.ts';
import { fetchGit, gistToGitUrl, parseGitUrl, copyOwnRepository } from './fetch-git.ts';
import { fetchTarball } from './fetch-tarball.ts';
import type { FetchContext } from './fetched-sources.ts';
import { ARCHIVE_LIMITS, ArchiveBudget } from './archive-limits.ts';
import { FolderWriter } from './unpack.ts';

/** Returns the id of the commit, where they come from a repository. */
export async function fetchSources(
  source: VersionSource,
  context: FetchContext,
): Promise<string | undefined> {
  const { log } = context;
  if ('sourceFiles' in source) {
    log('ACTOR: Writing the source files.');
    await writeSourceFiles(source.sourceFiles, context.folder);
  } else if ('tarballUrl' in source) {
    log('ACTOR: Fetching the archive with the sources.');
    await fetchTarball(source.tarballUrl, context);
  } else if ('gitRepoUrl' in source) {
    const git = parseGitUrl(source.gitRepoUrl);
    const own = await copyOwnRepository(git, context);
    if (own !== undefined) return own;
    log('ACTOR: Fetching the git repository.');
    return await fetchGit(git, context);
  } else {
    log('ACTOR: Fetching the gist.');
    return await fetchGit(parseGitUrl(gistToGitUrl(source.gitHubGistUrl)), context);
  }
  return undefined;
}

async function writeSourceFiles(
  files: readonly (SourceFile | SourceFolder)[],
  folder: string,
): Promise<void> {
  const writer = new FolderWriter(folder, ARCHIVE_LIMITS, new ArchiveBudget(ARCHIVE_LIMITS));
  for (const file of files) {
    if ('folder' in file) {
      await writer.addFolder(file.name);
      continue;
    }
    const { name, content, format } = file;
    const bytes = Buffer.from(content, format === 'BASE64' ? 'base64' : 'utf8');
    // The platform stores no modes: what begins like a script is one.
    await writer.addFile(name, once(bytes), bytes.subarray(0, 2).equals(SHEBANG));
  }
}

const SHEBANG = Buffer.from('#!');

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
