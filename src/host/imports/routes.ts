// Imports into a repository, by administrators of the host: begin or go on, write a batch, and end.
import { Failure } from '../../kernel/failure.ts';
import { reply, type Call } from '../../kernel/http/route.ts';
import { Type, type Static } from '../../kernel/schema/schema.ts';
import { listRefs } from '../git/refs/list-refs.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import {
  repositoryNotFound,
  repositoryRoute,
  RepositoryParams,
  UPDATE_REPOSITORY,
} from '../repositories/access.ts';
import { administersHost } from '../repositories/caller-roles.ts';
import { repositoryChange } from '../repositories/changes/change-repository.ts';
import { lockRepository } from '../repositories/store.ts';
import { isoSeconds } from '../times.ts';
import { importBatch } from './import-batch.ts';
import { ImportBatch, ImportBatchReply, ImportBegin, ImportReply, type ImportedKind } from './model.ts';
import {
  countImported,
  findIssueImport,
  insertIssueImport,
  updateIssueImport,
  type ImportedCount,
} from './store.ts';
import type { RepositoryImportRow } from './tables.ts';

const Params = Type.Object(RepositoryParams);
const PATH = '/admin/repos/{owner}/{repo}/import';
const DESCRIPTION =
  'For administrators of the host. Numbers, times and authors are those of the source, and nothing is sent to webhooks or feeds.';

/** Authors are whoever the batch says: so it takes more than the administration of a repository. */
function requireAdministrator({ caller }: Pick<Call, 'caller'>): void {
  if (!administersHost(caller)) throw new Failure('denied', 'You must be an administrator of the host.');
}

const beginImport = repositoryRoute(
  {
    id: 'signalbox/begin-import',
    method: 'PUT',
    path: PATH,
    summary: 'Begin an import into a repository, or go on with it',
    description: `${DESCRIPTION} The reply says what was imported so far. While an import is under way, commits that are pushed close no issues.`,
    access: UPDATE_REPOSITORY,
    params: Params,
    body: ImportBegin,
    reply: { 200: ImportReply },
  },
  'admin',
  async (call, { changes, db }, found) => {
    requireAdministrator(call);
    const { number } = found.repository;
    const { source } = call.body;
    const row = await changes.run(call, async (tx) => {
      if ((await lockRepository(tx.db, number)) === undefined) throw repositoryNotFound();
      const known = await findIssueImport(tx.db, number);
      if (known !== undefined && known.source !== source)
        throw new Failure('conflict', `The repository was imported from ${known.source}.`);
      if (known === undefined) {
        await insertIssueImport(tx.db, number, source, call.now);
        const change = repositoryChange('updateRepository', 'began an import into', found);
        tx.record({ ...change, after: { source } });
      } else await updateIssueImport(tx.db, number, { active_at: call.now, finished_at: null });
      return (await findIssueImport(tx.db, number))!;
    });
    return toImport(row, await countImported(db, number));
  },
);

const writeBatch = repositoryRoute(
  {
    id: 'signalbox/import-batch',
    method: 'POST',
    path: PATH,
    summary: 'Import labels, milestones, issues, pull requests, comments and reviews',
    description: `${DESCRIPTION} A batch is written as a whole or not at all. What was imported before stays as it is; a number that something else has is a conflict.`,
    access: UPDATE_REPOSITORY,
    params: Params,
    body: ImportBatch,
    reply: { 200: ImportBatchReply },
    isData: true,
  },
  'admin',
  async (call, kernel, found) => {
    requireAdministrator(call);
    return await importBatch(kernel, call, found, call.body);
  },
);

/** Where an import pushes the heads of pull requests, until their own references keep them. */
const PUSHED_HEADS = 'refs/import/';
const REFS_AT_ONCE = 1000;

const endImport = repositoryRoute(
  {
    id: 'signalbox/end-import',
    method: 'DELETE',
    path: PATH,
    summary: 'End an import into a repository',
    description: `${DESCRIPTION} What was imported stays; references below \`refs/import/\` are deleted.`,
    access: UPDATE_REPOSITORY,
    params: Params,
    reply: { 204: null },
  },
  'admin',
  async (call, { changes, services }, found) => {
    requireAdministrator(call);
    const { number } = found.repository;
    const git = services.git.repository(number);
    for (;;) {
      const refs = await listRefs(git.program, git.folder, { prefix: PUSHED_HEADS, limit: REFS_AT_ONCE });
      await updateRefs(
        git,
        refs.map(({ name, oid }) => ({ name, from: oid, to: undefined })),
      );
      if (refs.length < REFS_AT_ONCE) break;
    }
    await changes.run(call, async (tx) => {
      const known = await findIssueImport(tx.db, number);
      if (known === undefined) throw new Failure('not-found', 'There is no import into the repository');
      await updateIssueImport(tx.db, number, { finished_at: known.finished_at ?? call.now });
    });
    return reply(204);
  },
);

function toImport(row: RepositoryImportRow, counts: readonly ImportedCount[]): Static<typeof ImportReply> {
  const imported = (kind: ImportedKind) => {
    const found = counts.find((one) => one.kind === kind);
    return { count: found?.count ?? 0, updated_at: found === undefined ? null : isoSeconds(found.updatedAt) };
  };
  return {
    source: row.source,
    begun_at: isoSeconds(row.begun_at),
    finished_at: row.finished_at === null ? null : isoSeconds(row.finished_at),
    imported: {
      milestone: imported('milestone'),
      issue: imported('issue'),
      comment: imported('comment'),
      review: imported('review'),
      review_comment: imported('review_comment'),
    },
  };
}

export const importRoutes = [beginImport, writeBatch, endImport];
