// Reads repositories, issues, pull requests and gists for the search, without their texts.
import type { GistFile } from '../../host/gists/gist.ts';
import type { Repository } from '../../host/repositories/repository.ts';
import { listRepositoriesByNumber } from '../../host/repositories/store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SearchRecord } from './terms.ts';

export interface RepositoryRecord extends SearchRecord {
  repository: Repository;
}

export async function readRepositoryRecords(db: Db, ids: readonly string[]): Promise<RepositoryRecord[]> {
  const repositories = await listRepositoriesByNumber(db, ids.map(Number));
  return [...repositories.values()].map((repository) => ({
    kind: 'repository',
    id: `${repository.number}`,
    name: repository.name,
    texts: repository.topics,
    scopes: [],
    repository,
  }));
}

export interface IssueRecord extends SearchRecord {
  kind: 'issue' | 'pull';
  repositoryNumber: number;
  number: number;
  state: string;
  at: number;
}

export async function readIssueRecords(db: Db, ids: readonly string[]): Promise<IssueRecord[]> {
  const rows = await db
    .selectFrom('issues')
    .select(['id', 'repository_number', 'number', 'is_pull', 'title', 'state', 'updated_at'])
    .where('id', 'in', ids.map(Number))
    .execute();
  return rows.map(({ id, repository_number: repositoryNumber, number, title, state, ...row }) => ({
    kind: row.is_pull === 1 ? 'pull' : 'issue',
    id: `${id}`,
    name: title,
    texts: [`${number}`],
    scopes: [],
    repositoryNumber,
    number,
    state,
    at: row.updated_at,
  }));
}

export interface GistRecord extends SearchRecord {
  ownerId: string;
  isPublic: boolean;
  files: string[];
  at: number;
}

export async function readGistRecords(db: Db, ids: readonly string[]): Promise<GistRecord[]> {
  const rows = await db
    .selectFrom('gists')
    .select(['id', 'owner_id', 'description', 'is_public', 'files', 'updated_at'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .where('head', 'is not', null)
    .execute();
  return rows.map(({ id, owner_id: ownerId, description, is_public, updated_at: at, ...row }) => {
    const isPublic = is_public === 1;
    const files = (JSON.parse(row.files) as GistFile[]).map(({ name }) => name);
    return {
      kind: 'gist',
      id,
      name: description || files[0] || id,
      texts: files,
      scopes: [ownerId, ...(isPublic ? ['public'] : [])],
      ownerId,
      isPublic,
      files,
      at,
    };
  });
}
