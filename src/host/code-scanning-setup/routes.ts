// The default setup of code scanning: read and change it; due work configures what was asked for, and until then nobody else may change it.
import { isDeepStrictEqual } from 'node:util';
import { reply } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import { Failure } from '../../kernel/failure.ts';
import { gitUrlsOf } from '../git-data/model.ts';
import {
  repositoryRoute,
  type FoundRepository,
  repositoryNotFound,
  entryOwnerOf,
  RepositoryParams,
} from '../repositories/access.ts';
import { repositoryResource } from '../repositories/repository.ts';
import { lockRepository } from '../repositories/store.ts';
import {
  DefaultSetup,
  DefaultSetupRun,
  DefaultSetupUpdate,
  toDefaultSetup,
  analysedLanguages,
  type ScannedLanguage,
  NOT_CONFIGURED,
  setupAfter,
} from './model.ts';
import { findSetup, upsertSetup } from './store.ts';

const UPDATE_SETUP = { action: 'updateCodeScanningSetup', ofOwner: true } as const;
export const CONFIGURE_SCANNING = 'host.configure-scanning';

const path = '/repos/{owner}/{repo}/code-scanning/default-setup';
const params = Type.Object(RepositoryParams);

const getDefaultSetup = repositoryRoute(
  {
    id: 'code-scanning/get-default-setup',
    method: 'GET',
    path,
    summary: 'Get the default setup of code scanning',
    description:
      'Where it is not configured, the languages are those of the repository that it would analyse.',
    access: { action: 'viewCodeScanningSetup', ofOwner: true },
    params,
    reply: { 200: DefaultSetup },
  },
  'admin',
  async (_call, kernel, found) => {
    const { setup, updatedAt } = await findSetup(kernel.db, found.repository.number);
    return toDefaultSetup(setup, await findAnalysedLanguages(kernel, found), updatedAt);
  },
);

const updateDefaultSetup = repositoryRoute(
  {
    id: 'code-scanning/update-default-setup',
    method: 'PATCH',
    path,
    summary: 'Change the default setup of code scanning',
    description:
      'Answers 202 where something has to be configured; until that is done, other changes are refused. Languages must be ' +
      'those of the repository.',
    access: UPDATE_SETUP,
    params,
    body: DefaultSetupUpdate,
    reply: { 200: Type.Object({}, { $id: 'empty-object' }), 202: DefaultSetupRun },
  },
  'admin',
  async (call, kernel, found) => {
    const languages = await findAnalysedLanguages(kernel, found);
    const run = await changeSetup(kernel, call, found, call.body, languages);
    if (run === undefined) return {};
    const { api } = gitUrlsOf(found, call.base);
    return reply(202, { run_id: run, run_url: `${api}/code-scanning/default-setup` });
  },
);

const WORKFLOW = /\.ya?ml$/;

/** The languages of a repository that code scanning can analyse, from its counts and its workflows. */
async function findAnalysedLanguages(
  { services }: Kernel,
  { repository: { number, defaultBranch, languages } }: FoundRepository,
): Promise<ScannedLanguage[]> {
  const git = services.git.repository(number);
  const head = await git.readRef(`refs/heads/${defaultBranch}`);
  const folder = head === undefined ? undefined : await git.findEntry(head, '.github/workflows');
  const tree = folder?.kind === 'tree' ? await git.readTree(folder.oid) : undefined;
  const hasWorkflows =
    tree?.entries.some(({ name, kind }) => kind === 'blob' && WORKFLOW.test(name)) ?? false;
  return analysedLanguages(languages, hasWorkflows);
}

/** The number of the work that configures it; undefined where there is nothing to do. */
async function changeSetup(
  { changes }: Kernel,
  actor: ChangeActor,
  found: FoundRepository,
  sent: Static<typeof DefaultSetupUpdate>,
  languages: readonly ScannedLanguage[],
): Promise<number | undefined> {
  const { number, name } = found.repository;
  return await changes.run(actor, async (tx) => {
    const { db } = tx;
    const { now } = tx.actor;
    const locked = await lockRepository(db, number);
    if (locked === undefined) throw repositoryNotFound();
    if (locked.isArchived)
      throw new Failure('denied', 'The repository is archived, and read-only. Unarchive it first.');
    const stored = await findSetup(db, number);
    const after = setupAfter(stored.setup, sent, languages);
    if (stored.pending !== null)
      throw new Failure('conflict', 'The default setup is being configured. Try again when that is done.');
    if (isDeepStrictEqual(after, stored.setup)) return undefined;
    tx.record({
      accesses: [{ action: UPDATE_SETUP.action, resource: repositoryResource(found) }],
      kind: 'repository',
      name,
      verb: 'changed the default setup of code scanning of',
      ...entryOwnerOf(found),
      before: stored.setup,
      after,
    });
    if (!after.isConfigured) {
      await upsertSetup(db, number, { setup: NOT_CONFIGURED, pending: null, updatedAt: now });
      return undefined;
    }
    await upsertSetup(db, number, { ...stored, pending: after });
    const payload = JSON.stringify({ number });
    await schedule(
      db,
      { id: `${CONFIGURE_SCANNING}:${number}`, kind: CONFIGURE_SCANNING, payload, dueAt: now },
      now,
      'move',
    );
    return now;
  });
}

/** What was asked for is in force from now on. */
export async function configureScanning({ db, clock }: Kernel, number: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if ((await lockRepository(tx, number)) === undefined) return;
    const { pending } = await findSetup(tx, number);
    if (pending === null) return;
    await upsertSetup(tx, number, { setup: pending, pending: null, updatedAt: clock.now() });
  });
}

export const codeScanningSetupRoutes = [getDefaultSetup, updateDefaultSetup];
