// What the pages of labels and milestones change.
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import type { RepositoryPlace } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';

export interface LabelFields {
  name: string;
  color: string;
  description: string;
}

/** `known` is the name of the label that is changed. */
export function labelCall(place: RepositoryPlace, { name, ...fields }: LabelFields, known?: string): Call {
  if (known === undefined)
    return { ...repositoryCall(place, '/labels'), method: 'POST', body: { name, ...fields } };
  return {
    ...repositoryCall(place, `/labels/${encodeURIComponent(known)}`),
    method: 'PATCH',
    body: { new_name: name, ...fields },
  };
}

export function useSaveLabel(place: RepositoryPlace, known?: string) {
  return useChange<LabelFields>((fields) => labelCall(place, fields, known), TOPICS);
}

export function useDeleteLabel(place: RepositoryPlace) {
  return useChange<string>(
    (name) => ({ ...repositoryCall(place, `/labels/${encodeURIComponent(name)}`), method: 'DELETE' }),
    TOPICS,
  );
}

export interface MilestoneFields {
  title?: string;
  description?: string;
  /** A day, or null for none. */
  due_on?: string | null;
  state?: 'open' | 'closed';
}

export function milestoneCall(place: RepositoryPlace, body: MilestoneFields, known?: number): Call {
  if (known === undefined) return { ...repositoryCall(place, '/milestones'), method: 'POST', body };
  return { ...repositoryCall(place, `/milestones/${known}`), method: 'PATCH', body };
}

export function useSaveMilestone(place: RepositoryPlace, known?: number) {
  return useChange<MilestoneFields>((fields) => milestoneCall(place, fields, known), TOPICS);
}

export function useDeleteMilestone(place: RepositoryPlace) {
  return useChange<number>(
    (number) => ({ ...repositoryCall(place, `/milestones/${number}`), method: 'DELETE' }),
    TOPICS,
  );
}
