// The columns of the history of a flag.
import { ChangeDescription } from '../../lib/change-description.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Tag } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { personName } from '../flag.ts';
import { environmentsOf } from './flag-version.ts';
import type { HistoryEntry } from './entry.ts';
import { HISTORY } from './history-words.ts';

/** A service token acts for itself, and the server where nobody did. */
export function authorOf({ member, token }: Pick<HistoryEntry, 'member' | 'token'>) {
  if (token?.serviceToken === true) return { name: nameOfToken(token), kind: 'machine' as const };
  if (member === undefined) return { name: HISTORY.server, kind: 'machine' as const };
  return { name: personName(member), kind: 'person' as const };
}

function nameOfToken({ name = '', ending }: { name?: string; ending: string }): string {
  return name === '' ? `…${ending}` : name;
}

export function wayOf({ member, token }: Pick<HistoryEntry, 'member' | 'token'>): string {
  if (token === undefined) return member === undefined ? HISTORY.itself : HISTORY.console;
  return token.serviceToken ? HISTORY.service : HISTORY.byToken(nameOfToken(token));
}

export const HISTORY_COLUMNS: TableColumn<HistoryEntry>[] = [
  { id: 'at', head: HISTORY.columns.at, cell: ({ date }) => <Time at={date} /> },
  { id: 'what', head: HISTORY.columns.what, isMain: true, cell: (entry) => <What entry={entry} /> },
  { id: 'where', head: HISTORY.columns.where, priority: 'mid', cell: (entry) => <Where entry={entry} /> },
  { id: 'who', head: HISTORY.columns.who, cell: (entry) => <Who entry={entry} /> },
  {
    id: 'comment',
    head: HISTORY.columns.comment,
    priority: 'mid',
    cell: ({ comment = '' }) => <span className="muted history__comment">{comment}</span>,
  },
];

/** Beside an open entry there is room for these. */
export const NARROW_COLUMNS = HISTORY_COLUMNS.filter(({ id }) => ['at', 'what', 'who'].includes(id));

function What({ entry: { description, titleVerb, name } }: { entry: HistoryEntry }) {
  if (description === '')
    return (
      <span className="history__what">
        {titleVerb.charAt(0).toUpperCase() + titleVerb.slice(1)} {name}
      </span>
    );
  return <ChangeDescription text={description.split('\n').slice(0, 4).join('\n')} />;
}

export function Where({ entry }: { entry: Pick<HistoryEntry, 'accesses'> }) {
  const keys = environmentsOf(entry);
  if (keys.length === 0) return <span className="muted">{HISTORY.whole}</span>;
  return (
    <span className="row row--4 row--wrap">
      {keys.map((key) => (
        <Tag key={key}>{key}</Tag>
      ))}
    </span>
  );
}

function Who({ entry }: { entry: HistoryEntry }) {
  const { name, kind } = authorOf(entry);
  return (
    <span className="row">
      <Avatar name={name} kind={kind} isDecorative />
      <span className="two history__who">
        <b className="cut">{name}</b>
        <small className="cut">{wayOf(entry)}</small>
      </span>
    </span>
  );
}
