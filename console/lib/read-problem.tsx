// In place of what could not be read: the missing permission, or the error with a way to try again.
import type { ApiError } from '../api/error.ts';
import { ErrorState, NoPermission } from '../ui/states.tsx';

export interface ReadProblemProps {
  error: ApiError;
  onRetry: () => void;
  isPlain?: boolean | undefined;
}

export function ReadProblem({ error, onRetry, isPlain }: ReadProblemProps) {
  const { access } = error;
  if (access !== undefined)
    return <NoPermission action={access.action} resource={access.resource} isPlain={isPlain} />;
  return <ErrorState error={error} onRetry={onRetry} isPlain={isPlain} />;
}
