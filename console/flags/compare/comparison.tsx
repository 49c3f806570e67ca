// The flags that differ, with a tick for each part, and the bar that copies what is ticked.
import type { FlagDifferences } from '../../api/types/signalbox.ts';
import { useState } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { ListFoot } from '../../lib/list-foot.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { SelectionBar, Table, type TableColumn } from '../../ui/table.tsx';
import { EnvironmentName } from '../environment-name.tsx';
import { TARGETING_ACTIONS, useFlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import { plainText } from '../save/difference.tsx';
import { MAX_FLAGS, MAX_TARGETS, useComparison, type CopyPlan } from './compare-queries.ts';
import { COMPARE } from './compare-words.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { TargetsChoice } from './targets-choice.tsx';

/** Which parts are ticked, by the key of the flag; no list is empty. */
type Ticks = ReadonlyMap<string, readonly string[]>;

function setTicks(ticks: Ticks, flag: string, parts: readonly string[]): Ticks {
  const next = new Map(ticks);
  if (parts.length === 0) next.delete(flag);
  else next.set(flag, parts);
  return next;
}

interface ComparisonProps {
  project: string;
  from: Environment;
  to: Environment;
  environments: readonly Environment[];
}

export function Comparison({ project, from, to, environments }: ComparisonProps) {
  const { list, rows, isSearching } = useComparison(project, from.key, to.key);
  const [ticks, setAll] = useState<Ticks>(new Map());
  const [targets, setTargets] = useState<readonly string[]>([to.key]);
  const [plan, setPlan] = useState<CopyPlan>();
  const mayCopy = useFlagPermissions(project).may('updateOn', ...TARGETING_ACTIONS);
  const others = environments.filter(({ key }) => key !== from.key);
  // What is no longer different is not copied.
  const kept = new Map(
    [...ticks].flatMap(([key, parts]) => {
      const flag = rows.find((row) => row.flag === key);
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
      .filter(({ flag }) => selected.has(flag))
      .map(({ flag, parts }) => [flag, kept.get(flag) ?? parts.map(({ part }) => part)] as const);
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
        columns={columnsOf(
          from,
          to,
          kept,
          mayCopy ? (flag, parts) => setAll(setTicks(kept, flag, parts)) : undefined,
        )}
        rows={rows}
        rowKey={({ flag }) => flag}
        rowLabel={({ name }) => name}
        rowHref={({ flag }) => flagHref(project, flag, to.key)}
        {...(mayCopy && { selection: { selected: new Set(kept.keys()), onChange: selectRows } })}
        isLoading={list.isPending || (isSearching && rows.length === 0)}
        emptyState={
          <EmptyState icon="check" title={COMPARE.equal.title(from.key, to.key)} text={COMPARE.equal.text} />
        }
        footer={
          <ListFoot
            list={{
              rows,
              hasMore: list.hasNextPage,
              isReadingMore: list.isFetchingNextPage || isSearching,
              readMore: () => void list.fetchNextPage(),
            }}
            nouns={COMPARE.nouns}
          />
        }
      />
      <SelectionBar count={kept.size} onClear={() => setAll(new Map())}>
        <span className="nw muted">{COMPARE.ticked([...kept.values()].flat().length, kept.size)}</span>
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
              flags: [...kept].map(([key, parts]) => ({
                key,
                parts,
                version: rows.find(({ flag }) => flag === key)?.version ?? 0,
              })),
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
          names={new Map(rows.map(({ flag, name }) => [flag, name]))}
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
  from: Environment,
  to: Environment,
  ticks: Ticks,
  onTick: PartsProps['onTick'],
): TableColumn<FlagDifferences>[] {
  return [
    {
      id: 'flag',
      head: COMPARE.columns.flag,
      isMain: true,
      cell: ({ name, flag }) => (
        <span className="two">
          <b className="cut">{name}</b>
          <small className="mono cut">{flag}</small>
        </span>
      ),
      aside: ({ flag }) => <CopyButton text={flag} label={COMPARE.copyKey(flag)} />,
    },
    {
      id: 'parts',
      head: COMPARE.columns.parts,
      cell: (row) => <Parts row={row} ends={[from, to]} ticked={ticks.get(row.flag) ?? []} onTick={onTick} />,
    },
  ];
}

interface PartsProps {
  row: FlagDifferences;
  ends: readonly [Environment, Environment];
  ticked: readonly string[];
  /** Absent where nothing may be copied. */
  onTick: ((flag: string, parts: string[]) => void) | undefined;
}

function Parts({ row: { flag, name, parts }, ends: [from, to], ticked, onTick }: PartsProps) {
  return (
    <ul className="stack stack--8 compare__parts">
      {parts.map(({ part, from: here, to: there }) => (
        <li key={part}>
          {onTick === undefined ? (
            <>
              <span className="w5">{COMPARE.parts[part] ?? part}</span>
              <span className="help">
                {COMPARE.differs(from.key, plainText(here), to.key, plainText(there))}
              </span>
            </>
          ) : (
            <Checkbox
              label={
                <>
                  <span className="w5">{COMPARE.parts[part] ?? part}</span>
                  <span className="vh"> {COMPARE.ofFlag(name)}</span>
                </>
              }
              isChecked={ticked.includes(part)}
              onChange={(isOn) =>
                onTick(flag, isOn ? [...ticked, part] : ticked.filter((one) => one !== part))
              }
              help={COMPARE.differs(from.key, plainText(here), to.key, plainText(there))}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
