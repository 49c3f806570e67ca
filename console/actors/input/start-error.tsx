// Why a run did not start, where the reason stands at no field.
import type { ApiError } from '../../api/error.ts';
import { Banner } from '../../ui/banner.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { INPUT_WORDS } from './input-words.ts';
import { inputErrorsOf } from './start-run.ts';

export function StartError({ error }: { error: ApiError | undefined }) {
  if (error === undefined) return null;
  const byField = inputErrorsOf(error);
  const message = byField.size === 0 ? error.message : (byField.get('') ?? INPUT_WORDS.invalid);
  return (
    <Banner tone="bad">
      {message}
      {error.requestId !== undefined && (
        <>
          {' '}
          {INPUT_WORDS.request} <code className="key">{error.requestId}</code>
          <CopyButton text={error.requestId} label={INPUT_WORDS.copyRequestId} />
        </>
      )}
    </Banner>
  );
}
