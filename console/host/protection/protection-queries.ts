// Protected branches, their rules, and the calls that change them.
import { path, type Call } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { useGrowingList } from '../issues/growing-list.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';
import type { Branch } from '../repository.ts';
import { bodyOfProtection, type Protection, type ProtectionDraft } from './protection.ts';

export function useProtectedBranches(place: RepositoryPlace, isProtected: boolean) {
  const call = repositoryCall(place, '/branches', { protected: isProtected });
  return useGrowingList<Branch>({ call, topics: TOPICS });
}

function protectionCall(place: RepositoryPlace, branch: string, below = ''): Call {
  return repositoryCall(place, path`/branches/${branch}/protection` + below);
}

/** An error with status 404 where the branch has no rule, or is not there. */
export function useProtection(place: RepositoryPlace, branch: string, isEnabled = true) {
  return useRead<Protection>({ call: protectionCall(place, branch), topics: TOPICS }, { isEnabled });
}

export function saveProtectionCall(place: RepositoryPlace, branch: string, draft: ProtectionDraft): Call {
  return { ...protectionCall(place, branch), method: 'PUT', body: bodyOfProtection(draft) };
}

export function removeProtectionCall(place: RepositoryPlace, branch: string): Call {
  return { ...protectionCall(place, branch), method: 'DELETE' };
}

export function dropSignaturesCall(place: RepositoryPlace, branch: string): Call {
  return { ...protectionCall(place, branch, '/required_signatures'), method: 'DELETE' };
}

/** Everybody sees the branch; its rule is for administrators. */
export function useBranch(place: RepositoryPlace, branch: string) {
  const call = repositoryCall(place, path`/branches/${branch}`);
  return useRead<Branch>({ call, topics: TOPICS });
}
