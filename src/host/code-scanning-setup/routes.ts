// The default setup of code scanning: read and change it.
import { reply } from '../../kernel/http/route.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { gitUrlsOf } from '../git-data/urls.ts';
import { repositoryRoute, type FoundRepository } from '../repositories/access.ts';
import { RepositoryParams } from '../repositories/repository-params.ts';
import { changeSetup, UPDATE_SETUP } from './change-setup.ts';
import {
  DefaultSetup,
  DefaultSetupRun,
  DefaultSetupUpdate,
  toDefaultSetup,
  analysedLanguages,
  type ScannedLanguage,
} from './model.ts';
import { findSetup } from './store.ts';

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

export const codeScanningSetupRoutes = [getDefaultSetup, updateDefaultSetup];
