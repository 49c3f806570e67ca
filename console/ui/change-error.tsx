// Why a change was not made: the API's message, the missing permission, and the request that said so.
import { Banner } from './banner.tsx';
import { CopyButton } from './copy-button.tsx';
import { ErrorHelp } from './error-help.tsx';
import { TextLink } from './link.tsx';
import { testerHref } from './tester-href.ts';
import { words } from './words.ts';

export interface FailedChange {
  message: string;
  /** What the caller may not do, where that is the reason. */
  access?: { action: string; resource: string } | undefined;
  requestId?: string | undefined;
  /** The address of the page that explains it. */
  help?: string | undefined;
}

export function ChangeError({ error }: { error: FailedChange | null | undefined }) {
  if (error === null || error === undefined) return null;
  const { message, access, requestId, help } = error;
  return (
    <Banner tone="bad">
      {message} <ErrorHelp href={help} />
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
