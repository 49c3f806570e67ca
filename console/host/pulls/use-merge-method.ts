// The way of merging that somebody chose last in this browser, where they chose one.
import { useDraft } from '../../app/drafts.ts';
import { MERGE_METHODS, type MergeMethod } from './pull.ts';

export function useMergeMethod(): [MergeMethod | undefined, (method: MergeMethod) => void] {
  const { value, change } = useDraft('merge-method', { method: '' });
  return [MERGE_METHODS.find((one) => one === value.method), (method) => change({ method })];
}
