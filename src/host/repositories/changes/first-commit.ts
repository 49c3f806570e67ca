// The folder of a new repository, with the commit that it may begin with: README, licence and ignored files.
import { Failure } from '../../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../../kernel/identity/caller.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { commitFiles } from '../../git/commit-files.ts';
import { ignoredFilesOf, IGNORE_TEMPLATES } from '../../gitignore/templates.ts';
import { personOf } from '../../owners/model.ts';
import { changeRefs } from '../../pushes/change-refs.ts';
import type { FoundRepository } from '../access.ts';
import { findLicenseId } from '../../licenses/license.ts';
import { licenseTextOf } from '../../licenses/recognize-license.ts';
import type { SentRepository } from '../requests.ts';

export async function createFolder(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const { number, defaultBranch } = found.repository;
  const git = await kernel.services.git.createRepository(number, defaultBranch);
  if (files.size === 0) return;
  const ref = `refs/heads/${defaultBranch}`;
  const person = personOf(accountOf(actor.caller), actor.now);
  const commit = {
    ref,
    parent: undefined,
    changes: [...files].map(([path, text]) => ({ path, content: Buffer.from(text) })),
    author: person,
    committer: person,
    message: 'Initial commit\n',
  };
  await commitFiles(git, commit, (updates) => changeRefs(kernel, actor, found, updates));
}

interface InitialFiles {
  /** Contents by path. Empty where the repository begins without a commit. */
  files: Map<string, string>;
  /** The SPDX identifier of the chosen licence. */
  license: string | null;
}

interface InitialFacts {
  name: string;
  /** The full name of the licence's holder. */
  owner: string;
  year: number;
}

export function initialFilesOf(sent: SentRepository, { name, owner, year }: InitialFacts): InitialFiles {
  const files = new Map<string, string>();
  const { auto_init: begins, gitignore_template: ignore, license_template: licenseKey, description } = sent;
  if (begins === true) {
    const about = description ? `\n${description}\n` : '';
    files.set('README.md', `# ${name}\n${about}`);
  }
  if (ignore) files.set('.gitignore', ignoredFiles(ignore));
  if (!licenseKey) return { files, license: null };
  const { id, text } = findLicense(licenseKey);
  files.set('LICENSE', fillLicense(text, owner, year));
  return { files, license: id };
}

function ignoredFiles(template: string): string {
  const patterns = ignoredFilesOf(template);
  if (patterns !== undefined) return patterns;
  throw invalidTemplate('gitignore_template', template, IGNORE_TEMPLATES.join(', '));
}

function findLicense(key: string): { id: string; text: string } {
  const id = findLicenseId(key);
  if (id === undefined)
    throw invalidTemplate('license_template', key, 'an SPDX identifier, such as mit or apache-2.0');
  return { id, text: licenseTextOf(id) };
}

/** The places for year and holder are written in a few ways. */
function fillLicense(text: string, owner: string, year: number): string {
  const filled = text
    .replaceAll(/[<[{]\s*(?:year|yyyy)\s*[>\]}]/gi, String(year))
    .replaceAll(
      /[<[{]\s*(?:copyright holders?|name of (?:copyright owner|author)|fullname|owner)\s*[>\]}]/gi,
      () => owner,
    );
  return filled.endsWith('\n') ? filled : `${filled}\n`;
}

function invalidTemplate(field: string, given: string, known: string): Failure {
  return new Failure('invalid', `"${given}" is no template: use one of ${known}`, {
    fields: [{ field, message: `must be one of: ${known}` }],
  });
}
