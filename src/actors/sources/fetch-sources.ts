// Fetches the sources of a version into a folder, whatever form they have.
import type { VersionSource } from '../actors/version.ts';
import { fetchGit, gistToGitUrl, parseGitUrl } from './fetch-git.ts';
import { copyOwnRepository } from './own-repositories.ts';
import { fetchTarball } from './fetch-tarball.ts';
import type { FetchContext } from './fetched-sources.ts';
import { writeSourceFiles } from './source-files.ts';

export async function fetchSources(source: VersionSource, context: FetchContext): Promise<void> {
  const { log } = context;
  if ('sourceFiles' in source) {
    log('ACTOR: Writing the source files.');
    await writeSourceFiles(source.sourceFiles, context.folder);
  } else if ('tarballUrl' in source) {
    log('ACTOR: Fetching the archive with the sources.');
    await fetchTarball(source.tarballUrl, context);
  } else if ('gitRepoUrl' in source) {
    const git = parseGitUrl(source.gitRepoUrl);
    if (!(await copyOwnRepository(git, context))) {
      log('ACTOR: Fetching the git repository.');
      await fetchGit(git, context);
    }
  } else {
    log('ACTOR: Fetching the gist.');
    await fetchGit(parseGitUrl(gistToGitUrl(source.gitHubGistUrl)), context);
  }
}
