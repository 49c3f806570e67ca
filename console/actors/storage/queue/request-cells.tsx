// The columns of requests: in line, locked, or all.
import { useEffect, useState } from 'react';
import { formatCount, formatDuration } from '../../../ui/format.ts';
import { Status } from '../../../ui/status.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import type { QueueRequest, RequestRow } from './request.ts';
import { WORDS } from './queue-words.ts';

export function requestColumns(view: 'head' | 'locked' | 'failed' | 'all'): TableColumn<RequestRow>[] {
  return [
    ...(view === 'head' ? [PLACE] : []),
    URL_COLUMN,
    ...(view === 'locked' ? [OWNER, EXPIRES] : []),
    ...(view === 'all' ? [STATE] : []),
    ...(view === 'failed' ? [ERROR] : [METHOD]),
    RETRIES,
  ];
}

const PLACE: TableColumn<RequestRow> = {
  id: 'place',
  head: WORDS.number,
  cardLabel: null,
  align: 'end',
  className: 'q-place',
  cell: ({ place }) => <span className="faint">{formatCount(place)}</span>,
};

const URL_COLUMN: TableColumn<RequestRow> = {
  id: 'url',
  head: WORDS.url,
  isMain: true,
  className: 'q-url',
  cell: ({ url, uniqueKey, id }) => (
    <span className="two">
      <span className="mono t12 value-text">{shorten(url)}</span>
      <small className="mono value-text">{uniqueKey === url ? id : shorten(uniqueKey)}</small>
    </span>
  ),
};

const OWNER: TableColumn<RequestRow> = {
  id: 'owner',
  head: WORDS.owner,
  cell: ({ lockByClient }) =>
    lockByClient === undefined ? (
      <span className="muted">{WORDS.noKey}</span>
    ) : (
      <span className="mono t12 value-text">{lockByClient}</span>
    ),
};

const EXPIRES: TableColumn<RequestRow> = {
  id: 'expires',
  head: WORDS.expires,
  align: 'end',
  cell: ({ lockExpiresAt }) => <Countdown until={lockExpiresAt} />,
};

const STATE: TableColumn<RequestRow> = {
  id: 'state',
  head: WORDS.state,
  cell: (request) => <RequestState request={request} />,
};

/** Of the last error: the panel of the request has all of them. */
const MOST_OF_ERROR = 300;

const ERROR: TableColumn<RequestRow> = {
  id: 'error',
  head: WORDS.error,
  className: 'q-error',
  cell: ({ errorMessages }) => (
    <span className="t13 break">{errorMessages?.at(-1)?.trim().slice(0, MOST_OF_ERROR)}</span>
  ),
};

const METHOD: TableColumn<RequestRow> = {
  id: 'method',
  head: WORDS.method,
  priority: 'mid',
  cell: ({ method = 'GET' }) => <span className="mono t12">{method}</span>,
};

const RETRIES: TableColumn<RequestRow> = {
  id: 'retries',
  head: WORDS.retries,
  align: 'end',
  priority: 'mid',
  cell: ({ retryCount = 0 }) => formatCount(retryCount),
};

const MOST_CHARACTERS = 300;

function shorten(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

export function RequestState({ request }: { request: QueueRequest }) {
  const { handledAt, lockExpiresAt, errorMessages } = request;
  if (handledAt !== null && handledAt !== undefined)
    return (errorMessages?.length ?? 0) > 0 ? (
      <Status tone="warn">{WORDS.states.failed}</Status>
    ) : (
      <Status tone="ok">{WORDS.states.handled}</Status>
    );
  return lockExpiresAt === undefined ? (
    <Status tone="neutral">{WORDS.states.pending}</Status>
  ) : (
    <Status tone="run" icon="lock">
      {WORDS.states.locked}
    </Status>
  );
}

const SECOND = 1000;

/** Until a lock ends. */
export function Countdown({ until }: { until: string | number | undefined }) {
  const end = until === undefined ? 0 : new Date(until).getTime();
  const [now, setNow] = useState(() => Date.now());
  const isOver = end <= now;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, [isOver]);
  if (isOver) return <span className="muted">{WORDS.over}</span>;
  return <span className="nw">{formatDuration(Math.ceil((end - now) / SECOND) * SECOND)}</span>;
}
