// How a task differs from the defaults of its Actor: its input, and its options.
import { Banner } from '../../ui/banner.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { Section } from '../../ui/page.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import type { ActorDetail } from '../actor/actor-queries.ts';
import { firstValue, secretNames, type InputSchema } from '../input/input-schema.ts';
import { INPUT_WORDS } from '../input/input-words.ts';
import { takeOutSecrets } from '../input/secrets.ts';
import type { TaskDetail } from './task-queries.ts';
import { TASK_WORDS } from './task-words.ts';

export interface TaskDifferenceProps {
  task: TaskDetail;
  actor: ActorDetail | undefined;
  schema: InputSchema | undefined;
}

interface OptionRow {
  name: keyof typeof TASK_WORDS.optionNames;
  usual: string;
  own: string;
}

const COLUMNS: TableColumn<OptionRow>[] = [
  { id: 'option', head: TASK_WORDS.option, isMain: true, cell: ({ name }) => TASK_WORDS.optionNames[name] },
  { id: 'actor', head: TASK_WORDS.defaultValue, cell: ({ usual }) => <span className="mono">{usual}</span> },
  { id: 'task', head: TASK_WORDS.taskValue, cell: ({ own }) => <span className="mono">{own}</span> },
];

export function TaskDifference({ task, actor, schema }: TaskDifferenceProps) {
  const { value, secrets } = takeOutSecrets(task.input);
  const hidden = [...new Set([...Object.keys(secrets), ...secretNames(schema)])].filter((name) =>
    Object.hasOwn(task.input, name),
  );
  const open = Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)));
  const rows = optionRows(task, actor);
  return (
    <div className="stack stack--16">
      <p className="muted t13">{TASK_WORDS.differenceText}</p>
      <Section title={TASK_WORDS.differenceOfInput}>
        <div className="stack">
          {hidden.length > 0 && (
            <Banner tone="neutral" icon="lock">
              {TASK_WORDS.secrets(hidden.join(', '))}
            </Banner>
          )}
          <JsonDiff before={firstValue(schema)} after={open} label={TASK_WORDS.differenceOfInput} />
        </div>
      </Section>
      <Section title={TASK_WORDS.differenceOfOptions}>
        {rows.length === 0 ? (
          <p className="muted t13">{TASK_WORDS.sameOptions}</p>
        ) : (
          <Table
            label={TASK_WORDS.differenceOfOptions}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ name }) => name}
          />
        )}
      </Section>
    </div>
  );
}

/** Those that the task has of its own and that are other ones. */
function optionRows({ options }: TaskDetail, actor: ActorDetail | undefined): OptionRow[] {
  const usual: Readonly<Record<string, unknown>> = { ...actor?.defaultRunOptions };
  return (Object.keys(TASK_WORDS.optionNames) as OptionRow['name'][])
    .filter((name) => options[name] !== null && options[name] !== usual[name])
    .map((name) => ({ name, usual: show(name, usual[name]), own: show(name, options[name]) }));
}

const SECOND = 1000;

function show(name: OptionRow['name'], value: unknown): string {
  if (value === undefined || value === null) return TASK_WORDS.none;
  if (typeof value === 'boolean') return value ? TASK_WORDS.yes : TASK_WORDS.no;
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return TASK_WORDS.none;
  if (name === 'memoryMbytes') return INPUT_WORDS.megabytes(formatCount(value));
  if (name === 'timeoutSecs') return value === 0 ? TASK_WORDS.none : formatDuration(value * SECOND);
  return formatCount(value);
}
