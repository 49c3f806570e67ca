// The columns of the list of flags: a switch for each environment that is chosen, and what the first of them serves.
import { useMemo } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Tag } from '../../ui/status.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { personName, TYPE_ICONS, typeName, typeOf, type Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { Serves } from '../served.tsx';
import { WORDS as FLAG_WORDS } from '../words.ts';
import { ChangedDot, EnvironmentCell, LifecycleCell, WeekCell } from './flag-cells.tsx';
import { LIST_WORDS as WORDS } from './list-words.ts';

const NAME: TableColumn<Flag> = {
  id: 'name',
  head: FLAG_WORDS.flag,
  isMain: true,
  sort: 'name',
  cell: (flag) => (
    <span className="row row--12">
      <span title={typeName(flag)}>
        <Icon name={TYPE_ICONS[typeOf(flag)]} className="muted" />
      </span>
      <span className="two">
        <b className="cut" dir="auto">
          {flag.name}
        </b>
        <small className="mono cut">{flag.key}</small>
      </span>
    </span>
  ),
  aside: ({ key }) => (
    <>
      <CopyButton text={key} label={FLAG_WORDS.copyKey(key)} />
      <ChangedDot flag={key} />
    </>
  ),
};

const OWNER: TableColumn<Flag> = {
  id: 'owner',
  head: WORDS.owner,
  priority: 'mid',
  className: 'fl-owner',
  cell: ({ _maintainer, _maintainerTeam }) => {
    const name = _maintainerTeam?.name ?? (_maintainer && personName(_maintainer));
    if (name === undefined) return <span className="muted t12">{WORDS.nobody}</span>;
    return (
      <span title={name}>
        <Avatar name={name} size={20} />
      </span>
    );
  },
};

const TAGS: TableColumn<Flag> = {
  id: 'tags',
  head: FLAG_WORDS.tags,
  priority: 'low',
  sort: 'tags',
  className: 'fl-tags',
  cell: ({ tags }) => {
    const [first, ...rest] = tags;
    if (first === undefined) return null;
    return (
      <span className="row row--4">
        <span className="tag fl-tag" title={first}>
          {first}
        </span>
        {rest.length > 0 && (
          <span title={rest.join(', ')}>
            <Tag>{FLAG_WORDS.moreTags(rest.length)}</Tag>
          </span>
        )}
      </span>
    );
  },
};

/** `page` is the address of the list. The first environment is the one that dates and states are about. */
export function useFlagColumns(environments: readonly Environment[], page: string): TableColumn<Flag>[] {
  return useMemo(() => {
    const [first] = environments;
    const about = first === undefined ? [] : [servesColumn(first)];
    const states = first === undefined ? [] : [weekColumn(first), stateColumn(first, page)];
    return [
      NAME,
      ...environments.map(environmentColumn),
      ...about,
      OWNER,
      TAGS,
      modifiedColumn(first),
      ...states,
    ];
  }, [environments, page]);
}

function environmentColumn(environment: Environment): TableColumn<Flag> {
  const { key, critical } = environment;
  return {
    id: `env ${key}`,
    head: (
      <span className="row" title={key}>
        {critical && <Icon name="shield" />}
        <span className="cut">{key}</span>
      </span>
    ),
    cardLabel: key,
    className: critical ? 'fl-env c-prod' : 'fl-env',
    cell: (flag) => <EnvironmentCell flag={flag} environment={environment} />,
  };
}

function servesColumn({ key }: Environment): TableColumn<Flag> {
  return {
    id: 'serves',
    head: WORDS.serves(key),
    cardLabel: WORDS.serves(key),
    className: 'fl-serves',
    cell: (flag) => {
      const config = flag.environments?.[key];
      return config === undefined ? null : <Serves flag={flag} config={config} />;
    },
  };
}

/** In the first environment, as the server sorts by it. */
function modifiedColumn(environment: Environment | undefined): TableColumn<Flag> {
  return {
    id: 'modified',
    head: FLAG_WORDS.modified,
    priority: 'mid',
    sort: environment === undefined ? undefined : 'modified',
    className: 'fl-modified',
    cell: ({ environments, creationDate }) => (
      <Time at={environments?.[environment?.key ?? '']?.lastModified ?? creationDate} />
    ),
  };
}

function weekColumn({ key }: Environment): TableColumn<Flag> {
  return {
    id: 'week',
    head: WORDS.week,
    priority: 'mid',
    className: 'fl-week',
    cell: (flag) => <WeekCell environment={key} flag={flag.key} />,
  };
}

function stateColumn({ key }: Environment, page: string): TableColumn<Flag> {
  return {
    id: 'state',
    head: WORDS.state,
    className: 'fl-state',
    cell: (flag) => (
      <LifecycleCell environment={key} flag={flag} href={`${page}/${encodeURIComponent(flag.key)}`} />
    ),
  };
}
