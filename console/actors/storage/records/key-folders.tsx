// Keys as rows, where several that begin alike can be one, and the way to the folder that is shown.
import { Fragment } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { TextLink } from '../../../ui/link.tsx';
import { Bytes } from '../../../ui/numbers.tsx';
import type { TableColumn } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import type { KeyRow } from './records.ts';
import { WORDS } from './store-words.ts';

export const KEY_COLUMNS: TableColumn<KeyRow>[] = [
  {
    id: 'key',
    head: WORDS.key,
    isMain: true,
    cell: ({ name, record }) => (
      <span className="mono t12 value-text">
        {record === undefined && <Icon name="folder" />} {name}
      </span>
    ),
  },
  {
    id: 'type',
    head: WORDS.type,
    cell: ({ record }) =>
      record === undefined ? (
        <span className="muted">{WORDS.folder}</span>
      ) : (
        <span className="muted value-text">{record.contentType}</span>
      ),
  },
  {
    id: 'size',
    head: WORDS.size,
    align: 'end',
    cell: ({ record }) => record && <Bytes value={record.size} />,
  },
  {
    id: 'modified',
    head: WORDS.modified,
    priority: 'mid',
    cell: ({ record }) => record && <Time at={record.updatedAt} />,
  },
];

export interface FolderWayProps {
  prefix: string;
  delimiter: string;
  hrefOf: (prefix: string | undefined) => string;
}

export function FolderWay({ prefix, delimiter, hrefOf }: FolderWayProps) {
  const parts = partsOf(prefix, delimiter);
  return (
    <nav className="row row--4 row--wrap t13 key-way" aria-label={WORDS.way}>
      <TextLink href={hrefOf(undefined)}>{WORDS.allKeys}</TextLink>
      {parts.map((part, index) => (
        <Fragment key={index}>
          <span className="faint" aria-hidden="true">
            ›
          </span>
          {index === parts.length - 1 ? (
            <b className="mono break" aria-current="page">
              {part}
            </b>
          ) : (
            <TextLink href={hrefOf(parts.slice(0, index + 1).join(''))} isMono>
              {part}
            </TextLink>
          )}
        </Fragment>
      ))}
    </nav>
  );
}

/** Each with the delimiter at its end; the last is without one where something else was typed. */
function partsOf(prefix: string, delimiter: string): string[] {
  const parts = prefix.split(delimiter);
  const last = parts.pop()!;
  const whole = parts.map((part) => part + delimiter);
  return last === '' ? whole : [...whole, last];
}
