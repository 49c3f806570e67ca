// The figures of the server, and cards beside its tables: disk, storage, log level.
import { useChange } from '../../api/read.ts';
import type { System } from '../../api/types/signalbox.ts';
import { Banner } from '../../ui/banner.tsx';
import { Card, Figures, KeyValues, type FigureProps } from '../../ui/card.tsx';
import { Meter } from '../../ui/chart.tsx';
import { Field } from '../../ui/field.tsx';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { LOG_LEVELS, logLevelCall } from './system-queries.ts';
import { SYSTEM } from './system-words.ts';

const WORDS = SYSTEM.figures;

export function SystemFigures({ system, readAt }: { system: System; readAt: number }) {
  return <Figures label={WORDS.label} items={figuresOf(system, readAt)} />;
}

function figuresOf({ uptimeSeconds, memory, eventLoop, streams, dueWork, webhooks }: System, readAt: number) {
  const late = dueWork.reduce((total, work) => total + work.late, 0);
  const oldest = Math.min(...dueWork.map(({ oldestAt = Infinity }) => oldestAt));
  const items: FigureProps[] = [
    { label: WORDS.uptime, value: formatDuration(uptimeSeconds * 1000) },
    {
      label: WORDS.memory,
      value: formatBytes(memory.rss),
      unit: memory.limit === undefined ? undefined : WORDS.memoryOf(formatBytes(memory.limit)),
      note: WORDS.memoryNote(formatBytes(memory.heapUsed)),
    },
    ...(eventLoop === undefined
      ? []
      : [
          {
            label: WORDS.eventLoop,
            value: formatDuration(eventLoop.p99Ms),
            note: WORDS.eventLoopNote,
          },
        ]),
    {
      label: WORDS.streams,
      value: formatCount(streams.flags + streams.changes),
      note: WORDS.streamsNote(formatCount(streams.flags), formatCount(streams.changes)),
    },
    {
      label: WORDS.late,
      value: <span className={late > 0 ? 'warn' : undefined}>{formatCount(late)}</span>,
      note: Number.isFinite(oldest) ? WORDS.oldest(formatDuration(readAt - oldest)) : WORDS.lateNote,
    },
    {
      label: WORDS.webhooks,
      value: (
        <span className={webhooks.failing > 0 ? 'warn' : undefined}>{formatCount(webhooks.failing)}</span>
      ),
      note: WORDS.webhooksNote(formatCount(webhooks.pending), formatCount(webhooks.retrying)),
    },
  ];
  return items;
}

/** Less free space than this is said in colour. */
const LOW_PART = 0.1;
const SCARCE_PART = 0.03;

export function DiskCard({ disk: { freeBytes, totalBytes } }: { disk: NonNullable<System['disk']> }) {
  const freePart = totalBytes > 0 ? freeBytes / totalBytes : 0;
  const tone = freePart < SCARCE_PART ? 'bad' : freePart < LOW_PART ? 'warn' : undefined;
  const text = SYSTEM.disk.free(formatBytes(freeBytes), formatBytes(totalBytes));
  return (
    <Card title={SYSTEM.disk.title} icon="disk">
      <div className="stack stack--8 t13">
        <Meter
          label={SYSTEM.disk.label}
          value={totalBytes - freeBytes}
          max={totalBytes}
          text={text}
          tone={tone}
        />
        <p className={tone}>{text}</p>
        <p className="muted">{SYSTEM.disk.used(Math.round((1 - freePart) * 100))}</p>
      </div>
    </Card>
  );
}

/** Runs that have not ended, and processes of git. */
export function LoadCard({ system: { runs, git } }: { system: System }) {
  const words = SYSTEM.load;
  return (
    <Card title={words.title} icon="play">
      <KeyValues
        items={[
          ...runs.map(({ status, count }) => entry(words.runs(status), formatCount(count))),
          ...(runs.length === 0 ? [entry(words.noRuns, '0')] : []),
          [words.git, words.gitLoad(git)],
        ]}
      />
    </Card>
  );
}

export function DiskUseCard({ use: { kinds, disks } }: { use: System['diskUse'] }) {
  const words = SYSTEM.diskUse;
  return (
    <Card title={words.title} icon="disk">
      <div className="stack stack--8 t13">
        {kinds.length === 0 ? (
          <p className="muted">{words.none}</p>
        ) : (
          <KeyValues
            items={kinds
              .toSorted((one, other) => other.bytes - one.bytes)
              .map(({ kind, bytes }) => entry(kind, formatBytes(bytes)))}
          />
        )}
        {disks.map(({ names, bytesPerDay, fullAt }) =>
          bytesPerDay === undefined ? null : (
            <p key={names} className={fullAt === undefined ? 'muted' : undefined}>
              {words.grows(names, formatBytes(Math.max(0, bytesPerDay)))}{' '}
              {fullAt === undefined ? (
                words.lasts
              ) : (
                <>
                  {words.full} <Time at={fullAt} />.
                </>
              )}
            </p>
          ),
        )}
      </div>
    </Card>
  );
}

export function StorageCard({ system: { database, objects, limits } }: { system: System }) {
  const words = SYSTEM.storage;
  return (
    <Card title={words.title} icon="folder">
      <KeyValues
        items={[
          [words.database, `${words.engines[database.engine] ?? database.engine} ${database.version}`],
          [words.size, formatBytes(database.bytes)],
          [words.statements, words.mean(formatCount(database.statements), formatDuration(database.meanMs))],
          ...(database.connections === undefined
            ? []
            : [entry(words.connections, words.pool(database.connections))]),
          ...(objects === undefined ? [] : [entry(words.objects, words.kinds[objects.kind] ?? objects.kind)]),
          ...(limits === undefined ? [] : [entry(words.limits, limits.isEnabled ? words.on : words.off)]),
        ]}
      />
    </Card>
  );
}

const entry = (term: string, value: string): [string, string] => [term, value];

export function LogLevelCard({ level, onChanged }: { level: string; onChanged: () => void }) {
  const change = useChange<string>(logLevelCall);
  const shown = change.isPending ? change.variables : level;
  const set = (next: string, before: string | undefined) =>
    change.mutate(next, {
      onSuccess: () => {
        onChanged();
        toast({
          text: SYSTEM.log.changed(next),
          tone: 'ok',
          action:
            before === undefined ? undefined : { label: SYSTEM.log.undo, run: () => set(before, undefined) },
        });
      },
    });
  return (
    <Card title={SYSTEM.log.title} icon="sliders">
      <div className="stack">
        <Field label={SYSTEM.log.label} help={SYSTEM.log.help} error={change.error?.message}>
          <SelectInput
            value={shown}
            onValue={(next) => set(next, level)}
            options={LOG_LEVELS.map((one) => ({ value: one, label: one }))}
          />
        </Field>
        {(level === 'debug' || level === 'trace') && <Banner tone="warn">{SYSTEM.log.loud}</Banner>}
        {level === 'silent' && <Banner tone="warn">{SYSTEM.log.silent}</Banner>}
      </div>
    </Card>
  );
}
