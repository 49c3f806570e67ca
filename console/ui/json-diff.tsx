// The difference of two JSON values. What compares them is loaded when it is needed.
import { lazy, Suspense } from 'react';
import { Skeleton } from './states.tsx';

export interface JsonDiffProps {
  before: unknown;
  after: unknown;
  label?: string | undefined;
  /** They are texts, and are compared as they are. */
  isText?: boolean | undefined;
}

const JsonDiffView = lazy(async () => import('./json-diff-view.tsx'));

export function JsonDiff(props: JsonDiffProps) {
  return (
    <Suspense fallback={<Skeleton lines={5} />}>
      <JsonDiffView {...props} />
    </Suspense>
  );
}
