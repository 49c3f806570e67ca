// The languages of a repository that code scanning can analyse, from its counts and its workflows.
import type { Kernel } from '../../kernel/kernel.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { analysedLanguages, type ScannedLanguage } from './model.ts';

const WORKFLOW = /\.ya?ml$/;

export async function findAnalysedLanguages(
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
