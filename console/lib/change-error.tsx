// Why a change was not made: the API's message, the missing permission, and the request that said so.
import { ApiError } from '../api/error.ts';
import { Banner } from '../ui/banner.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { words } from '../ui/words.ts';

export function ChangeError({ error }: { error: Error | null | undefined }) {
  if (error === null || error === undefined) return null;
  const { access, requestId } = error instanceof ApiError ? error : {};
  return (
    <Banner tone="bad">
      {error.message}
      {access !== undefined && (
        <>
          {' '}
          {words.needs} <code>{access.action}</code> {words.onResource} <code>{access.resource}</code>.
        </>
      )}
      {requestId !== undefined && (
        <>
          {' '}
          {words.request} <code className="key">{requestId}</code>
          <CopyButton text={requestId} label={words.copyRequestId} />
        </>
      )}
    </Banner>
  );
}
