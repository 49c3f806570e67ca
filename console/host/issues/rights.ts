// What the person who is logged in may do with an issue or a pull request. The API has the last word; this decides what is offered.
import { useMemo } from 'react';
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

/** The same object as long as nothing of it changes: hundreds of lines are drawn by it. */
export function useRights(repository: Repository, issue: Pick<Issue, 'user' | 'locked'> | undefined): Rights {
  const { data: me } = useMe();
  const login = me?.username;
  const author = issue?.user?.login;
  const { archived } = repository;
  const mayWrite = repository.permissions?.push === true && !archived;
  const mayTriage = (repository.permissions?.triage === true || mayWrite) && !archived;
  const isShut = issue?.locked === true && !mayWrite;
  return useMemo(
    () => ({
      login,
      isAuthor: login !== undefined && author === login,
      mayTriage,
      mayWrite,
      whyNoComment: archived ? ISSUE.archived : isShut ? ISSUE.locked : undefined,
      mayChangeTextOf: (person) => !archived && (mayWrite || (person?.login === login && !isShut)),
    }),
    [login, author, archived, mayTriage, mayWrite, isShut],
  );
}
