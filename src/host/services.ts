// The in-memory services of the host, created when a server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { openContributors } from './branches/contributor-routes.ts';
import { findGit, type InstalledGit } from './git/process/git-environment.ts';
import { Git } from './git/git.ts';
import { MarkdownRenderer } from './contents/markdown-client.ts';
import { openReadyReplies } from './contents/show-content.ts';
import { openGistOwnerCache } from './gists/access.ts';
import { WriteTurns } from './git/write-turns.ts';
import { openMarkdownTurns } from './markdown/render-text.ts';
import { openMaintenance } from './maintenance/maintain.ts';
import { openDownloads } from './transport/downloads.ts';
import { PackService, type PackSettings } from './transport/git-service.ts';
import { SarifReader } from './code-scanning/sarif/sarif-client.ts';
import { openRepositoryCache } from './repositories/access.ts';

declare module '../kernel/kernel.ts' {
  interface Services {
    git: Git;
    /** The repositories of gists, by the numbers of gists. */
    gistGit: Git;
    writeTurns: WriteTurns;
  }
}

/** It does not change while a process runs, so it is looked for once. */
let installedGit: Promise<InstalledGit | undefined> | undefined;

export async function openHostServices(
  { engine, clock }: Pick<Kernel, 'engine' | 'clock'>,
  settings: PackSettings,
) {
  installedGit ??= findGit();
  const git = new Git({ folder: settings.repositories, installed: await installedGit });
  return {
    git,
    gistGit: git.ofKind('gists'),
    gistOwners: await openGistOwnerCache(engine),
    packs: new PackService(settings, clock),
    downloads: openDownloads(clock),
    writeTurns: new WriteTurns(),
    contributors: openContributors(),
    repositories: await openRepositoryCache(engine),
    readyReplies: openReadyReplies(),
    maintenance: openMaintenance(),
    markdown: new MarkdownRenderer(),
    markdownTurns: openMarkdownTurns(clock),
    sarif: new SarifReader(),
  };
}
