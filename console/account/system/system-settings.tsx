// The settings in force: what the server was started with, where each value comes from, and how to set it.
import type { SettingInForce } from '../../api/types/signalbox.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Chips } from '../../ui/chips.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FilterInput } from '../../ui/input.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { useSettings } from './system-queries.ts';
import { SETTINGS } from './system-words.ts';

const COLUMNS: TableColumn<SettingInForce>[] = [
  {
    id: 'name',
    head: SETTINGS.columns.name,
    isMain: true,
    cell: ({ name, description }) => (
      <span className="two setting__name">
        <b className="mono">{name}</b>
        <small>{description}</small>
      </span>
    ),
  },
  {
    id: 'value',
    head: SETTINGS.columns.value,
    cell: (setting) => <Value setting={setting} />,
  },
  {
    id: 'source',
    head: SETTINGS.columns.source,
    cell: ({ source }) => (
      <Badge tone={source === 'default' ? undefined : 'acc'}>{SETTINGS.sources[source]}</Badge>
    ),
  },
  {
    id: 'set',
    head: SETTINGS.columns.set,
    priority: 'mid',
    cell: ({ flag, env }) => (
      <span className="two mono t12 setting__name">
        <span>{env}</span>
        {flag !== undefined && <small>{flag}</small>}
      </span>
    ),
  },
];

function Value({
  setting: { name, isSecret, isSet, value = '', env, default: usual },
}: {
  setting: SettingInForce;
}) {
  if (isSecret) return <span className="muted">{isSet ? SETTINGS.isSet : SETTINGS.isNotSet}</span>;
  if (!isSet) return <span className="muted">{usual === '' ? SETTINGS.isNotSet : usual}</span>;
  return (
    <span className="row row--4 setting__value">
      <code className="mono t13">{value === '' ? SETTINGS.empty : value}</code>
      <CopyButton text={`${env}=${value}`} label={SETTINGS.copy(name)} />
    </span>
  );
}

export function SettingsSection() {
  const search = useSearchState('/account/system');
  const [typed, setTyped] = useTypedFilter(search);
  const { data, error, refetch } = useSettings();
  const isChanged = search.get('changed') === '1';
  const words = search.get('q');
  const items = data?.items ?? [];
  const rows = items.filter(
    (setting) => (!isChanged || setting.source !== 'default') && fits(setting, words),
  );
  const changed = items.filter(({ source }) => source !== 'default').length;
  return (
    <Section title={SETTINGS.title}>
      <p className="muted t13 setting__about">{SETTINGS.about}</p>
      <div className="row row--wrap setting__filters">
        <FilterInput label={SETTINGS.filter} value={typed} onChange={setTyped} />
        <Chips
          label={SETTINGS.quick}
          items={[
            {
              label: SETTINGS.changed,
              count: changed,
              isOn: isChanged,
              onToggle: () => search.set({ changed: isChanged ? undefined : '1' }),
            },
          ]}
        />
      </div>
      {data === undefined ? (
        error === null ? (
          <Skeleton rows={6} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Table
          label={SETTINGS.title}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ name }) => name}
          emptyState={
            <NoMatch
              words={SETTINGS.noMatch}
              onClear={() => search.set({ q: undefined, changed: undefined })}
            />
          }
          footer={<ListFoot list={{ rows }} nouns={SETTINGS.nouns} />}
        />
      )}
    </Section>
  );
}

function fits({ name, description, env, flag = '', value = '' }: SettingInForce, words = ''): boolean {
  const text = [name, description, env, flag, value].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
