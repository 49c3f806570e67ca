// One request: why it is not next, what is known of it, and what can be done with it.
import { useState } from 'react';
import { useChange } from '../../../api/read.ts';
import { ChangeError } from '../../../ui/change-error.tsx';
import { ReadProblem } from '../../../lib/read-problem.tsx';
import { SidePanel } from '../../../lib/side-panel.tsx';
import { Button } from '../../../ui/button.tsx';
import { KeyValues } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { formatCount } from '../../../ui/format.ts';
import { TextLink } from '../../../ui/link.tsx';
import { Key } from '../../../ui/status.tsx';
import { EmptyState, Skeleton } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { DeleteRequests } from './delete-requests.tsx';
import { Countdown, RequestState } from './request-cells.tsx';
import { whyNotNext, type QueueRequest } from './request.ts';
import { moveToFrontCall, releaseCall, retryCall, REQUESTS, useRequest } from './requests.ts';
import { WORDS } from './queue-words.ts';

export interface RequestPanelProps {
  queueId: string;
  requestId: string;
  /** The first that are pending, in order. */
  head: readonly QueueRequest[];
  onClose: () => void;
}

export function RequestPanel({ queueId, requestId, head, onClose }: RequestPanelProps) {
  const { data, error, refetch } = useRequest(queueId, requestId);
  const request = data?.items.find(({ id }) => id === requestId);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <SidePanel
        title={WORDS.request}
        text={request && <RequestState request={request} />}
        onClose={onClose}
        footer={
          request && (
            <>
              <RequestActions queueId={queueId} request={request} />
              <span className="push" />
              <Button size="sm" tone="danger" icon="trash" onClick={() => setDeleting(true)}>
                {WORDS.remove}
              </Button>
            </>
          )
        }
      >
        {request !== undefined ? (
          <>
            <section>
              <h3>{WORDS.why}</h3>
              <p className="t13">
                <Why request={request} head={head} />
              </p>
            </section>
            <Details request={request} />
          </>
        ) : data === undefined ? (
          <section>
            {error === null ? (
              <Skeleton lines={6} />
            ) : (
              <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
            )}
          </section>
        ) : (
          <EmptyState icon="hour" title={WORDS.gone} text={WORDS.goneText} isPlain />
        )}
      </SidePanel>
      {isDeleting && (
        <DeleteRequests
          queueId={queueId}
          requestIds={[requestId]}
          onClose={() => setDeleting(false)}
          onDone={onClose}
        />
      )}
    </>
  );
}

function Why({ request, head }: { request: QueueRequest; head: readonly QueueRequest[] }) {
  const [now] = useState(() => Date.now());
  const why = whyNotNext(request, head, now);
  if (why.kind === 'handled') return <>{WORDS.whyHandled}</>;
  if (why.kind === 'next') return <>{WORDS.whyNext}</>;
  if (why.kind === 'far') return <>{WORDS.whyFar(formatCount(why.count))}</>;
  if (why.kind === 'locked')
    return (
      <>
        {WORDS.whyLocked(why.client ?? WORDS.noKey)} <Countdown until={why.until} />.
      </>
    );
  return (
    <>
      {WORDS.whyBehind(formatCount(why.count))}{' '}
      <span className="mono t12 value-text">{why.next.url.slice(0, 200)}</span>.
    </>
  );
}

function Details({ request }: { request: QueueRequest }) {
  const { id, uniqueKey, url, method = 'GET', retryCount = 0, handledAt, loadedUrl, errorMessages } = request;
  const { payload, headers, userData, noRetry } = request;
  const data = JSON.stringify({ payload, headers, userData, noRetry }, undefined, 2);
  return (
    <>
      <section>
        <h3>{WORDS.details}</h3>
        <KeyValues
          items={[
            [WORDS.url, <Address key="url" url={url} />],
            [
              WORDS.id,
              <Key key="id" copyLabel={WORDS.copyId}>
                {id}
              </Key>,
            ],
            [
              WORDS.uniqueKey,
              <span key="key" className="mono t12 value-text">
                {uniqueKey}
              </span>,
            ],
            [WORDS.method, method],
            [WORDS.retries, formatCount(retryCount)],
            ...(handledAt
              ? [[WORDS.handledAt, <Time key="handled" at={handledAt} />] as [string, React.ReactNode]]
              : []),
            ...(loadedUrl
              ? [[WORDS.loadedUrl, <Address key="loaded" url={loadedUrl} />] as [string, React.ReactNode]]
              : []),
          ]}
        />
      </section>
      {errorMessages && errorMessages.length > 0 && (
        <section>
          <h3>{WORDS.errors}</h3>
          <ul className="history-lines t13">
            {errorMessages.slice(0, 50).map((message, index) => (
              <li key={index} className="value-text">
                {message.slice(0, 2000)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {data !== '{}' && (
        <section>
          <h3>{WORDS.data}</h3>
          <CodeBlock text={data} copyLabel={WORDS.copyData}>
            {data.slice(0, 100_000)}
          </CodeBlock>
        </section>
      )}
    </>
  );
}

function Address({ url }: { url: string }) {
  const text = <span className="mono t12 value-text">{url}</span>;
  if (!/^https?:\/\//i.test(url)) return text;
  return (
    <TextLink href={url} isExternal>
      {text}
    </TextLink>
  );
}

function RequestActions({ queueId, request }: { queueId: string; request: QueueRequest }) {
  const move = useChange<QueueRequest>((one) => moveToFrontCall(queueId, one), [REQUESTS]);
  const release = useChange<QueueRequest>((one) => releaseCall(queueId, one), [REQUESTS, 'request-queue']);
  const retry = useChange<QueueRequest>((one) => retryCall(queueId, one), [REQUESTS, 'request-queue']);
  const isLocked = request.lockExpiresAt !== undefined;
  const isHandled = request.handledAt !== null && request.handledAt !== undefined;
  return (
    <>
      <ChangeError error={move.error ?? release.error ?? retry.error} />
      {isLocked && (
        <Button
          size="sm"
          icon="lock"
          isBusy={release.isPending}
          onClick={() => release.mutate(request, { onSuccess: () => void toast({ text: WORDS.released }) })}
        >
          {WORDS.release}
        </Button>
      )}
      {isHandled && (
        <Button
          size="sm"
          icon="redo"
          isBusy={retry.isPending}
          onClick={() => retry.mutate(request, { onSuccess: () => void toast({ text: WORDS.retried }) })}
        >
          {WORDS.retry}
        </Button>
      )}
      <Button
        size="sm"
        icon="aup"
        isBusy={move.isPending}
        disabledReason={isHandled ? WORDS.needsPending : isLocked ? WORDS.heldNow : undefined}
        onClick={() => move.mutate(request, { onSuccess: () => void toast({ text: WORDS.moved }) })}
      >
        {WORDS.moveToFront}
      </Button>
    </>
  );
}
