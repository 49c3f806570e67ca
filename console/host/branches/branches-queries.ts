// What is changed on the pages of branches and tags, and what is asked before.
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics, useRead } from '../../api/read.ts';
import { toast } from '../../ui/toast-store.ts';
import { encodePath, type RepositoryPlace } from '../place.ts';
import { lastCommitRead, repositoryCall, TOPICS, type RefKind } from '../queries.ts';
import type { Commit } from '../repository.ts';
import { REF_DIALOGS } from './branches-words.ts';

export function createRefCall(place: RepositoryPlace, kind: RefKind, name: string, sha: string): Call {
  return {
    ...repositoryCall(place, '/git/refs'),
    method: 'POST',
    body: { ref: `refs/${kind}/${name}`, sha },
  };
}

export interface NewTag {
  name: string;
  message: string;
  sha: string;
}

export function createTagCall(place: RepositoryPlace, { name, message, sha }: NewTag): Call {
  return {
    ...repositoryCall(place, '/git/tags'),
    method: 'POST',
    body: { tag: name, message, object: sha, type: 'commit' },
  };
}

export function renameCall(place: RepositoryPlace, name: string, newName: string): Call {
  return {
    ...repositoryCall(place, path`/branches/${name}/rename`),
    method: 'POST',
    body: { new_name: newName },
  };
}

export function deleteRefCall(place: RepositoryPlace, kind: RefKind, name: string): Call {
  return { ...repositoryCall(place, `/git/refs/${kind}/${encodePath(name)}`), method: 'DELETE' };
}

/** Undefined where there is no such commit. */
export async function resolveRef(place: RepositoryPlace, ref: string): Promise<string | undefined> {
  try {
    return (await send<Commit[]>(lastCommitRead(place, ref).call)).body[0]?.sha;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return undefined;
    throw error;
  }
}

/** How many commits a branch has that the other has not. */
export function useAhead(place: RepositoryPlace, base: string, branch: string) {
  const call = repositoryCall(place, `/compare/${encodeURIComponent(base)}...${encodeURIComponent(branch)}`, {
    per_page: 1,
  });
  return useRead<{ ahead_by: number }>({ call, topics: TOPICS });
}

interface OpenPull {
  number: number;
  title: string;
}

export function usePullsFrom(place: RepositoryPlace, branch: string) {
  const call = repositoryCall(place, '/pulls', {
    state: 'open',
    head: `${place.owner}:${branch}`,
    per_page: 10,
  });
  return useRead<OpenPull[]>({ call, topics: TOPICS });
}

/** What the reference itself names: of a tag with a message an object of its own. */
export function useRefObject(place: RepositoryPlace, kind: RefKind, name: string) {
  const call = repositoryCall(place, `/git/ref/${kind}/${encodePath(name)}`);
  return useRead<{ object: { sha: string } }>({ call });
}

/** Says that it is gone, and brings it back where somebody wants that. */
export function offerUndo(place: RepositoryPlace, kind: RefKind, name: string, sha: string): void {
  const restore = async () => {
    try {
      await send(createRefCall(place, kind, name, sha));
      invalidateTopics(TOPICS);
      toast({ text: REF_DIALOGS.restored(name) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast({ text: error.message, tone: 'bad' });
    }
  };
  toast({
    text: REF_DIALOGS.deleted(name),
    action: { label: REF_DIALOGS.undo, run: () => void restore() },
  });
}
