// Why a change was not made: the API's message, the missing permission, and the request that said so.
import { Banner } from './banner.tsx';
import { CopyButton } from './copy-button.tsx';
import { TextLink } from './link.tsx';
import { testerHref } from './tester-href.ts';
import { words } from './words.ts';

export interface FailedChange {
  message: string;
  /** What the caller may not do, where that is the reason. */
  access?: { action: string; resource: string } | undefined;
  requestId?: string | undefined;
}

export function ChangeError({ error }: { error: FailedChange | null | undefined }) {
  if (error === null || error === undefined) return null;
  const { message, access, requestId } = error;
  return (
    <Banner tone="bad">
      {message}
      {access !== undefined && (
        <>
          {' '}
          {words.needs} <code>{access.action}</code> {words.onResource} <code>{access.resource}</code>.{' '}
          <TextLink href={testerHref(access)}>{words.whyNot}</TextLink>
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
