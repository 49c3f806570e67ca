// Fetches the sources of a version into a folder, whatever form they have.
import { fetchGit, gistToGitUrl, parseGitUrl } from './fetch-git.ts';
import { fetchTarball } from './fetch-tarball.ts';
import { type FetchContext, type SourceOfVersion } from './fetched-sources.ts';
import { writeSourceFiles } from './source-files.ts';

export async function fetchSources(source: SourceOfVersion, context: FetchContext): Promise<void> {
  const { log } = context;
  switch (source.sourceType) {
    case 'SOURCE_FILES':
      log('ACTOR: Writing the source files.');
      await writeSourceFiles(source.sourceFiles, context.folder);
      return;
    case 'TARBALL':
      log('ACTOR: Fetching the archive with the sources.');
      await fetchTarball(source.tarballUrl, context);
      return;
    case 'GIT_REPO':
      log('ACTOR: Fetching the git repository.');
      await fetchGit(parseGitUrl(source.gitRepoUrl), context);
      return;
    case 'GITHUB_GIST':
      log('ACTOR: Fetching the gist.');
      await fetchGit(parseGitUrl(gistToGitUrl(source.gitHubGistUrl)), context);
  }
}
