// The flags that differ, with a tick for each part, and the bar that copies what is ticked.
import { useState } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { ListFoot } from '../../lib/list-foot.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { SelectionBar, Table, type TableColumn } from '../../ui/table.tsx';
import { EnvironmentName } from '../environment-name.tsx';
import type { Environment } from '../queries.ts';
import { plainText } from '../save/difference.tsx';
import {
  MAX_FLAGS,
  MAX_TARGETS,
  useComparison,
  type CopyPlan,
  type DifferingFlag,
} from './compare-queries.ts';
import { COMPARE } from './compare-words.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { TargetsChoice } from './targets-choice.tsx';
import { countTicks, setTicks, type Ticks } from './ticks.ts';

interface ComparisonProps {
  project: string;
  from: Environment;
  to: Environment;
  environments: readonly Environment[];
}

export function Comparison({ project, from, to, environments }: ComparisonProps) {
  const list = useComparison(project, from.key, to.key);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const [ticks, setAll] = useState<Ticks>(new Map());
  const [targets, setTargets] = useState<readonly string[]>([to.key]);
  const [plan, setPlan] = useState<CopyPlan>();
  const others = environments.filter(({ key }) => key !== from.key);
  // What is no longer different is not copied.
  const kept = new Map(
    [...ticks].flatMap(([key, parts]) => {
      const flag = rows.find((row) => row.key === key);
      const still = parts.filter((part) => flag?.parts.some((one) => one.part === part));
      return still.length === 0 ? [] : [[key, still] as const];
    }),
  );
  const reason =
    targets.length === 0
      ? COMPARE.noTarget
      : targets.length > MAX_TARGETS
        ? COMPARE.tooManyTargets(MAX_TARGETS)
        : kept.size > MAX_FLAGS
          ? COMPARE.tooManyFlags(MAX_FLAGS)
          : undefined;
  if (list.error !== null && rows.length === 0)
    return <ReadProblem error={list.error} onRetry={() => void list.refetch()} />;
  const selectRows = (selected: ReadonlySet<string>) => {
    const next = rows
      .filter(({ key }) => selected.has(key))
      .map(({ key, parts }) => [key, kept.get(key) ?? parts.map(({ part }) => part)] as const);
    setAll(new Map(next));
  };
  return (
    <>
      <div className="row row--wrap compare__ends">
        <EnvironmentName environment={from} />
        <span aria-hidden="true">→</span>
        <EnvironmentName environment={to} />
      </div>
      <Table
        label={COMPARE.table}
        columns={columnsOf(kept, (flag, parts) => setAll(setTicks(kept, flag, parts)))}
        rows={rows}
        rowKey={({ key }) => key}
        rowLabel={({ name }) => name}
        rowHref={({ key }) => flagHref(project, key, to.key)}
        selection={{ selected: new Set(kept.keys()), onChange: selectRows }}
        isLoading={list.isPending}
        emptyState={
          <EmptyState icon="check" title={COMPARE.equal.title(from.key, to.key)} text={COMPARE.equal.text} />
        }
        footer={
          <ListFoot
            shown={rows.length}
            nouns={COMPARE.nouns}
            hasMore={list.hasNextPage}
            isReadingMore={list.isFetchingNextPage}
            onMore={() => void list.fetchNextPage()}
          />
        }
      />
      <SelectionBar count={kept.size} onClear={() => setAll(new Map())}>
        <span className="nw muted">{COMPARE.ticked(countTicks(kept), kept.size)}</span>
        <TargetsChoice environments={others} chosen={targets} onChange={setTargets} />
        <Button
          size="sm"
          tone="primary"
          icon="copy"
          disabledReason={reason}
          onClick={() =>
            setPlan({
              from: from.key,
              to: targets,
              flags: [...kept].map(([key, parts]) => ({ key, parts })),
            })
          }
        >
          {COMPARE.copy(from.key, targets)}
        </Button>
      </SelectionBar>
      {plan !== undefined && (
        <CopyDialog
          project={project}
          plan={plan}
          environments={environments}
          names={new Map(rows.map(({ key, name }) => [key, name]))}
          onClose={() => setPlan(undefined)}
          onCopied={() => setAll(new Map())}
        />
      )}
    </>
  );
}

function flagHref(project: string, flag: string, environment: string): string {
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag)}/targeting`;
  return `${page}?env=${encodeURIComponent(environment)}`;
}

function columnsOf(
  ticks: Ticks,
  onTick: (flag: string, parts: string[]) => void,
): TableColumn<DifferingFlag>[] {
  return [
    {
      id: 'flag',
      head: COMPARE.columns.flag,
      isMain: true,
      cell: ({ name, key }) => (
        <span className="two">
          <b className="cut">{name}</b>
          <small className="mono cut">{key}</small>
        </span>
      ),
      aside: ({ key }) => <CopyButton text={key} label={COMPARE.copyKey(key)} />,
    },
    {
      id: 'parts',
      head: COMPARE.columns.parts,
      cell: (flag) => <Parts flag={flag} ticked={ticks.get(flag.key) ?? []} onTick={onTick} />,
    },
  ];
}

interface PartsProps {
  flag: DifferingFlag;
  ticked: readonly string[];
  onTick: (flag: string, parts: string[]) => void;
}

function Parts({ flag: { key, name, parts }, ticked, onTick }: PartsProps) {
  return (
    <ul className="stack stack--8 compare__parts">
      {parts.map(({ part, sentences }) => {
        const label = COMPARE.parts[part] ?? part;
        return (
          <li key={part}>
            <Checkbox
              label={
                <>
                  <span className="w5">{label}</span>
                  <span className="vh"> {COMPARE.ofFlag(name)}</span>
                </>
              }
              isChecked={ticked.includes(part)}
              onChange={(isOn) =>
                onTick(key, isOn ? [...ticked, part] : ticked.filter((one) => one !== part))
              }
              help={sentences.map(plainText).join('. ')}
            />
          </li>
        );
      })}
    </ul>
  );
}
