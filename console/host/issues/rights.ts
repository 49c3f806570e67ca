// What the person who is logged in may do with an issue or a pull request. The API has the last word; this decides what is offered.
import { useMe } from '../../app/me.ts';
import type { Repository } from '../repository.ts';
import type { Issue, Person } from './issue.ts';
import { ISSUE } from './issue-words.ts';

export interface Rights {
  login: string | undefined;
  isAuthor: boolean;
  /** Labels, assignees, milestones, and the state of what others wrote. */
  mayTriage: boolean;
  /** Branches, locks and texts of others. */
  mayWrite: boolean;
  /** Why nothing can be said here; undefined where it can. */
  whyNoComment: string | undefined;
  mayChangeTextOf: (author: Person | null) => boolean;
}

export function useRights(repository: Repository, issue: Pick<Issue, 'user' | 'locked'> | undefined): Rights {
  const { data: me } = useMe();
  const login = me?.username;
  const { permissions, archived } = repository;
  const isAuthor = login !== undefined && issue?.user?.login === login;
  const mayWrite = permissions?.push === true && !archived;
  const isShut = issue?.locked === true && !mayWrite;
  return {
    login,
    isAuthor,
    mayTriage: (permissions?.triage === true || mayWrite) && !archived,
    mayWrite,
    whyNoComment: archived ? ISSUE.archived : isShut ? ISSUE.locked : undefined,
    mayChangeTextOf: (author) => !archived && (mayWrite || (author?.login === login && !isShut)),
  };
}
