// Why a change was not saved, with the request that said so.
import { ApiError } from '../../api/error.ts';
import { Banner } from '../../ui/banner.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { words } from '../../ui/words.ts';

export function SaveError({ error }: { error: Error }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const access = error instanceof ApiError ? error.access : undefined;
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
