// The columns of the list of flags: one for each environment that is shown.
import { useMemo } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Tag } from '../ui/status.tsx';
import type { TableColumn } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { TYPE_ICONS, typeName, typeOf, type Flag } from './flag.ts';
import type { Environment } from './queries.ts';
import { OnOff, Serves } from './served.tsx';
import { WORDS } from './words.ts';

const MAX_TAGS = 2;

const NAME: TableColumn<Flag> = {
  id: 'name',
  head: WORDS.flag,
  isMain: true,
  sort: 'name',
  cell: (flag) => (
    <span className="row row--12">
      <Icon name={TYPE_ICONS[typeOf(flag)]} className="muted" />
      <span className="two">
        <b className="cut">{flag.name}</b>
        <small className="mono cut">{flag.key}</small>
      </span>
    </span>
  ),
};

const TYPE: TableColumn<Flag> = {
  id: 'type',
  head: WORDS.type,
  priority: 'mid',
  cell: (flag) => <span className="muted">{typeName(flag)}</span>,
};

const TAGS: TableColumn<Flag> = {
  id: 'tags',
  head: WORDS.tags,
  priority: 'low',
  cell: ({ tags }) => (
    <span className="row row--4">
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {tags.length > MAX_TAGS && (
        <span className="tag" title={tags.slice(MAX_TAGS).join(', ')}>
          {WORDS.moreTags(tags.length - MAX_TAGS)}
        </span>
      )}
    </span>
  ),
};

const COPY: TableColumn<Flag> = {
  id: 'copy',
  head: '',
  isEnd: true,
  cell: ({ key }) => <CopyButton text={key} label={WORDS.copyKey(key)} />,
};

export function useFlagColumns(environments: readonly Environment[] | undefined): TableColumn<Flag>[] {
  const text = JSON.stringify(environments ?? []);
  return useMemo(() => {
    const shown = JSON.parse(text) as Environment[];
    return [NAME, TYPE, ...shown.map(environmentColumn), TAGS, modifiedColumn(shown[0]), COPY];
  }, [text]);
}

function environmentColumn({ key, critical }: Environment): TableColumn<Flag> {
  return {
    id: `env ${key}`,
    head: (
      <span className="row">
        {critical && <Icon name="shield" />}
        {key}
      </span>
    ),
    cardLabel: key,
    cell: (flag) => {
      const config = flag.environments?.[key];
      if (config === undefined) return <span className="muted">{WORDS.absent}</span>;
      return (
        <span className="stack stack--4">
          <OnOff isOn={config.on} />
          <Serves flag={flag} config={config} />
        </span>
      );
    },
  };
}

/** In the first environment that is shown, as the server sorts by it. */
function modifiedColumn(environment: Environment | undefined): TableColumn<Flag> {
  return {
    id: 'modified',
    head: WORDS.modified,
    priority: 'mid',
    sort: environment === undefined ? undefined : 'targetingModifiedDate',
    cell: ({ environments, creationDate }) => (
      <Time at={environments?.[environment?.key ?? '']?.lastModified ?? creationDate} />
    ),
  };
}
