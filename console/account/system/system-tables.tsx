// The checks of the server, its nodes, and the work that waits.
import { useState } from 'react';
import type { System, SystemCheck } from '../../api/types/signalbox.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge, Status, type StatusTone } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { DueWork, SystemNode } from './system-queries.ts';
import { SYSTEM } from './system-words.ts';

const STATE_ORDER = ['bad', 'warn', 'ok'];

/** What is wrong comes first, with what to do about it. */
export function Checks({ checks }: { checks: readonly SystemCheck[] }) {
  const sorted = checks.toSorted((a, b) => STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state));
  return (
    <Section title={SYSTEM.checks.title}>
      <ul className="card system__checks" aria-label={SYSTEM.checks.title}>
        {sorted.map((check, index) => (
          // Several checks may have the same name: one for each full disk.
          <li key={`${check.name} ${index}`}>
            <Status tone={check.state}>{SYSTEM.checks.states[check.state]}</Status>
            <div className="stack stack--4">
              <p>
                <b>{check.name}</b> <span className="faint">·</span> {check.text}
              </p>
              {check.advice !== undefined && <p className="muted">{check.advice}</p>}
              {check.command !== undefined && <Command text={check.command} isQuiet={check.state === 'ok'} />}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Where nothing is wrong it takes less room. */
function Command({ text, isQuiet }: { text: string; isQuiet: boolean }) {
  if (!isQuiet) return <CodeBlock text={text} />;
  return (
    <p>
      <code className="key">{text}</code>
      <CopyButton text={text} label={SYSTEM.checks.copy} />
    </p>
  );
}

/** A node says every ten seconds that it is there. */
const UNSEEN_MS = 35_000;

interface SeenNode extends SystemNode {
  isUnseen: boolean;
}

const NODE_COLUMNS: TableColumn<SeenNode>[] = [
  {
    id: 'id',
    head: SYSTEM.nodes.columns.id,
    isMain: true,
    cell: ({ id, isSelf }) => (
      <span className="row row--wrap">
        <span className="mono t13 system__name">{id}</span>
        {isSelf && <Badge tone="acc">{SYSTEM.nodes.self}</Badge>}
      </span>
    ),
  },
  {
    id: 'roles',
    head: SYSTEM.nodes.columns.roles,
    cell: ({ roles }) => roles.map((role) => SYSTEM.nodes.roles[role] ?? role).join(', '),
  },
  {
    id: 'state',
    head: SYSTEM.nodes.columns.state,
    cell: ({ isUnseen }) => {
      const tone: StatusTone = isUnseen ? 'warn' : 'ok';
      return <Status tone={tone}>{isUnseen ? SYSTEM.nodes.unseen : SYSTEM.nodes.here}</Status>;
    },
  },
  { id: 'seen', head: SYSTEM.nodes.columns.seen, align: 'end', cell: ({ seenAt }) => <Time at={seenAt} /> },
];

/** `readAt` is when the figures were read. */
export function Nodes({ nodes, readAt }: { nodes: readonly SystemNode[]; readAt: number }) {
  if (nodes.length === 0) return null;
  const rows = nodes.map((node) => ({ ...node, isUnseen: !node.isSelf && readAt - node.seenAt > UNSEEN_MS }));
  return (
    <Section title={SYSTEM.nodes.title}>
      <Table label={SYSTEM.nodes.title} columns={NODE_COLUMNS} rows={rows} rowKey={({ id }) => id} />
    </Section>
  );
}

const number = (id: 'waiting' | 'running' | 'failed', tone?: string): TableColumn<DueWork> => ({
  id,
  head: SYSTEM.due.columns[id],
  align: 'end',
  cell: ({ [id]: count = 0 }) => <span className={count > 0 ? tone : 'faint'}>{formatCount(count)}</span>,
});

const DUE_COLUMNS: TableColumn<DueWork>[] = [
  {
    id: 'kind',
    head: SYSTEM.due.columns.kind,
    isMain: true,
    cell: ({ kind }) => <span className="system__name">{kind}</span>,
  },
  number('waiting'),
  number('running', 'run'),
  {
    id: 'late',
    head: SYSTEM.due.columns.late,
    align: 'end',
    cell: ({ late, oldestAt }) => (
      <>
        <span className={late > 0 ? 'warn w6' : 'faint'}>{formatCount(late)}</span>
        {oldestAt !== undefined && (
          <span className="t12 muted nw">
            {' '}
            {SYSTEM.due.since} <Time at={oldestAt} />
          </span>
        )}
      </>
    ),
  },
  number('failed', 'bad w6'),
  {
    id: 'error',
    head: SYSTEM.due.columns.error,
    cell: ({ lastError }) =>
      lastError === undefined ? null : (
        <span className="t12 system__error" title={lastError}>
          {lastError}
        </span>
      ),
  },
];

/** What waits for its time is most of it, and says nothing: it is shown when it is asked for. */
export function DueWorkTable({ system: { dueWork, isDueWorkComplete } }: { system: System }) {
  const [hasAll, setHasAll] = useState(false);
  const noted = dueWork.filter(({ running, late, failed }) => running + late + failed > 0);
  const rows = hasAll ? dueWork : noted;
  const hidden = dueWork.length - noted.length;
  const sum = (read: (work: DueWork) => number) =>
    formatCount(dueWork.reduce((total, work) => total + read(work), 0));
  // Columns without any value would only take room.
  const columns = DUE_COLUMNS.filter(({ id }) => id !== 'error' || dueWork.some((work) => work.lastError));
  return (
    <Section
      title={SYSTEM.due.title}
      badge={
        dueWork.length > 0 && (
          <span className="muted t13">
            {SYSTEM.due.total(
              sum(({ waiting }) => waiting),
              sum(({ late }) => late),
              sum(({ failed }) => failed),
            )}
          </span>
        )
      }
    >
      <div className="stack stack--12">
        {(rows.length > 0 || hidden === 0) && (
          <Table
            label={SYSTEM.due.title}
            columns={columns}
            rows={rows.toSorted((a, b) => b.failed + b.late - a.failed - a.late)}
            rowKey={({ kind }) => kind}
            emptyState={<EmptyState icon="clock" title={SYSTEM.due.empty} text={SYSTEM.due.emptyText} />}
            footer={isDueWorkComplete ? undefined : SYSTEM.due.incomplete}
          />
        )}
        {hidden > 0 && (
          <p className="row row--wrap t13 muted">
            {noted.length === 0 && <span>{SYSTEM.due.inTime}</span>}
            <Button size="sm" aria-expanded={hasAll} onClick={() => setHasAll(!hasAll)}>
              {hasAll ? SYSTEM.due.less : SYSTEM.due.more(hidden)}
            </Button>
          </p>
        )}
      </div>
    </Section>
  );
}
