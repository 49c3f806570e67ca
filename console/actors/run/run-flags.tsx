// The flags that a run has read, as far as it named itself to the flags API: what it got, why, and what each flag is now.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { FlagReadByRun, RunFlagList } from '../../api/types/signalbox.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { isOver, type RunDetail } from '../run.ts';
import { FLAG_WORDS, reasonInWords } from './flag-words.ts';
import { LIVE_MS } from './run-queries.ts';

export type ReadFlag = FlagReadByRun;

export function RunFlags({ run }: { run: RunDetail }) {
  const { data, error, refetch } = useRead<RunFlagList>(
    { call: { api: 'signalbox', path: path`/runs/${run.id}/flags` }, topics: ['run', 'flag'] },
    { everyMs: isOver(run) ? undefined : LIVE_MS },
  );
  if (data === undefined) {
    if (error !== null) return <ReadProblem error={error} onRetry={() => void refetch()} />;
    return <Skeleton lines={6} />;
  }
  const { items, hidden, further, keptDays } = data;
  const notes = [
    ...(hidden > 0 ? [FLAG_WORDS.hidden(formatCount(hidden))] : []),
    ...(further > 0 ? [FLAG_WORDS.further(formatCount(further))] : []),
  ];
  if (items.length === 0 && hidden === 0) return <NoFlags isRunOver={isOver(run)} keptDays={keptDays} />;
  return (
    <div className="stack stack--8">
      <p className="muted t13">{FLAG_WORDS.about}</p>
      {items.length > 0 && (
        <Table
          label={FLAG_WORDS.label}
          columns={COLUMNS}
          rows={items}
          rowKey={keyOf}
          footer={<ListFoot list={{ rows: items }} nouns={FLAG_WORDS.nouns} />}
        />
      )}
      {notes.map((note) => (
        <p key={note} className="muted t13">
          {note}
        </p>
      ))}
    </div>
  );
}

function NoFlags({ isRunOver, keptDays }: { isRunOver: boolean; keptDays: number }) {
  const { title, running, over } = FLAG_WORDS.empty;
  return (
    <div className="stack">
      <EmptyState icon="flag" title={title} text={isRunOver ? over(formatCount(keptDays)) : running} />
      <p className="muted t13">{FLAG_WORDS.sampleText}</p>
      <CodeBlock text={FLAG_WORDS.sample} copyLabel={FLAG_WORDS.sampleLabel} />
    </div>
  );
}

function keyOf({ project, environment, key, variation, version }: ReadFlag): string {
  return `${project.key} ${environment.key} ${key} ${variation} ${version}`;
}

function hrefOf({ project, environment, key }: ReadFlag, tab = ''): string {
  return `${path`/flags/${project.key}/${key}`}${tab}?env=${encodeURIComponent(environment.key)}`;
}

const COLUMNS: TableColumn<ReadFlag>[] = [
  { id: 'flag', head: FLAG_WORDS.flag, isMain: true, cell: (read) => <FlagName read={read} /> },
  { id: 'value', head: FLAG_WORDS.value, cell: (read) => <Got read={read} /> },
  {
    id: 'why',
    head: FLAG_WORDS.why,
    cell: ({ reason }) =>
      reason === undefined ? <span className="muted">{FLAG_WORDS.unsaid}</span> : reasonInWords(reason),
  },
  { id: 'reads', head: FLAG_WORDS.reads, align: 'end', cell: ({ reads }) => formatCount(reads) },
  { id: 'now', head: FLAG_WORDS.now, cell: (read) => <Present read={read} /> },
  { id: 'last', head: FLAG_WORDS.last, priority: 'mid', cell: ({ lastAt }) => <Time at={lastAt} /> },
];

function FlagName({ read }: { read: ReadFlag }) {
  const { project, environment, key, name } = read;
  return (
    <span className="stack stack--4">
      {name === undefined ? (
        <span className="break">{key}</span>
      ) : (
        <TextLink href={hrefOf(read)}>{name}</TextLink>
      )}
      <span className="t12 muted break">
        <span className="mono">{key}</span> · {project.name} / {environment.name}
      </span>
    </span>
  );
}

function Got({ read: { value, variation, variationName } }: { read: ReadFlag }) {
  return (
    <span className="stack stack--4">
      {value === undefined ? (
        <span className="muted">{FLAG_WORDS.long}</span>
      ) : (
        <span className="mono break">{JSON.stringify(value)}</span>
      )}
      {variation === undefined ? (
        <span className="t12 muted">{FLAG_WORDS.codeDefault}</span>
      ) : (
        variationName !== undefined && <span className="t12 muted break">{variationName}</span>
      )}
    </span>
  );
}

function Present({ read }: { read: ReadFlag }) {
  const { name, now, isArchived } = read;
  if (name === undefined) return <span className="muted">{FLAG_WORDS.unknownFlag}</span>;
  if (isArchived || now === undefined)
    return <span className="muted">{isArchived ? FLAG_WORDS.archived : FLAG_WORDS.gone}</span>;
  const { isOn, isForEverybody, value, hasChanged } = now;
  return (
    <span className="stack stack--4">
      <span className="break">
        {isOn ? FLAG_WORDS.on : FLAG_WORDS.off} ·{' '}
        {isForEverybody ? (
          <>
            {FLAG_WORDS.serves}{' '}
            <span className="mono">
              {value === undefined ? FLAG_WORDS.codeDefault : JSON.stringify(value)}
            </span>
          </>
        ) : (
          FLAG_WORDS.perContext
        )}
      </span>
      {hasChanged === true && (
        <span className="t12">
          <TextLink href={hrefOf(read, '/history')}>{FLAG_WORDS.changed}</TextLink>
        </span>
      )}
      {hasChanged === false && <span className="t12 muted">{FLAG_WORDS.same}</span>}
    </span>
  );
}
