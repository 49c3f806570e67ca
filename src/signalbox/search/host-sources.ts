// Repositories, issues, pull requests and gists in the search, as the code host shows them.
import { gistResource } from '../../host/gists/access.ts';
import { includesIssues } from '../../host/issues/access.ts';
import { listOwners } from '../../host/owners/store.ts';
import { userResource } from '../../host/users/access.ts';
import type { ShownRepository } from '../../host/repositories/model.ts';
import { repositoryResource } from '../../host/repositories/repository.ts';
import { showRepositories } from '../../host/repositories/show-repository.ts';
import { listRepositoriesByNumber } from '../../host/repositories/store.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { pathOf, type FoundItem } from './model.ts';
import type { SearchSource } from './source.ts';
import {
  readGistRecords,
  readIssueRecords,
  readRepositoryRecords,
  type GistRecord,
  type IssueRecord,
  type RepositoryRecord,
} from './store-host-records.ts';

const MAX_DETAIL = 200;

const repositorySource: SearchSource<RepositoryRecord> = {
  name: 'repository',
  kinds: ['repository'],
  read: readRepositoryRecords,
  async show({ db, caller }, records) {
    const shown = await showRepositories(
      db,
      caller,
      records.map(({ repository }) => repository),
    );
    return shown.map((found): FoundItem => {
      const { repository, owner } = found;
      const { number, name, description, isPrivate, isArchived, updatedAt } = repository;
      const facts = [...(isPrivate ? ['private'] : []), ...(isArchived ? ['archived'] : [])];
      return {
        kind: 'repository',
        id: `${number}`,
        title: `${owner.login}/${name}`,
        detail: (description ?? '').slice(0, MAX_DETAIL) || facts.join(', ') || 'repository',
        path: pathOf('code', owner.login, name),
        resource: repositoryResource(found),
        at: updatedAt,
      };
    });
  },
};

const issueSource: SearchSource<IssueRecord> = {
  name: 'issue',
  kinds: ['issue', 'pull'],
  read: readIssueRecords,
  async show({ db, caller }, records) {
    const numbers = [...new Set(records.map(({ repositoryNumber }) => repositoryNumber))];
    const repositories = await listRepositoriesByNumber(db, numbers);
    const shown = await showRepositories(db, caller, [...repositories.values()]);
    const byNumber = new Map(shown.map((found) => [found.repository.number, found]));
    return records.flatMap((record) => {
      const found = byNumber.get(record.repositoryNumber);
      if (found === undefined) return [];
      return record.kind === 'issue' && !includesIssues(caller, found) ? [] : showIssue(record, found);
    });
  },
};

function showIssue({ kind, id, name, number, state, at }: IssueRecord, found: ShownRepository): FoundItem {
  const full = `${found.owner.login}/${found.repository.name}`;
  const page = kind === 'pull' ? 'pulls' : 'issues';
  return {
    kind,
    id,
    title: `${full}#${number} ${name}`,
    detail: state,
    path: pathOf('code', found.owner.login, found.repository.name, page, number),
    resource: repositoryResource(found),
    at,
  };
}

const gistSource: SearchSource<GistRecord> = {
  name: 'gist',
  kinds: ['gist'],
  read: readGistRecords,
  scopesOf: ({ accountId }) => [accountId, 'public'],
  async show({ db, caller, accountId, can }, records, isNamed) {
    const seesOwn = can(userResource(accountOf(caller)), 'viewGist');
    // Everybody who knows the id of a gist may read it.
    const visible = records.filter(
      ({ ownerId, isPublic }) => isPublic || isNamed || (ownerId === accountId && seesOwn),
    );
    const owners = await listOwners(
      db,
      visible.map(({ ownerId }) => ownerId),
    );
    return visible.flatMap((gist): FoundItem[] => {
      const owner = owners.get(gist.ownerId);
      if (owner === undefined) return [];
      const { kind, id, name: title, files, at } = gist;
      const detail = `${owner.login}: ${files.join(', ')}`.slice(0, MAX_DETAIL);
      const resource = gistResource({ gist, owner });
      return [{ kind, id, title, detail, path: pathOf('gists', id), resource, at }];
    });
  },
};

export const hostSources = [repositorySource, issueSource, gistSource];
