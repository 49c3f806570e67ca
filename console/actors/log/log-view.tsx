// The log of a run or a build: live, searched, filtered by level, with links to lines.
import '../../styles/log.css';
import { useState, type FormEvent } from 'react';
import { path, type Call } from '../../api/call.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { download } from '../../lib/signed-link.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { CopyTextButton } from '../../ui/copy-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput, SelectInput } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { LiveDot } from '../../ui/status.tsx';
import { hrefOfRange, pointAt, useLineRange } from '../../lib/line-range.ts';
import type { LineRange } from '../../lib/parse-range.ts';
import type { LogBook } from './log-book.ts';
import { plainText } from './log-line.ts';
import { LogList } from './log-list.tsx';
import type { HrefOfPlace } from './places.ts';
import type { LogSnapshot } from './log-reader.ts';
import { useHits, useLevelLines, type LogMatches } from './log-search.ts';
import { LOG_WORDS } from './log-words.ts';
import { useLog, type LogKind } from './use-log.ts';

export interface LogViewProps {
  kind: LogKind;
  /** Of the run or the build. */
  id: string;
  isOver: boolean;
  /** What stands there while nothing was printed. */
  emptyText: string;
  /** At the margin of some lines, by their numbers. */
  notes?: ReadonlyMap<number, string> | undefined;
  /** The line that the bar has a button for. */
  firstError?: number | undefined;
  /** The page of a place in the sources that a line names. */
  hrefOfPlace?: HrefOfPlace | undefined;
}

export function LogView(props: LogViewProps) {
  // Another log has another memory.
  return <OneLog key={props.id} {...props} />;
}

/** As the API joins them. */
const LEVELS = ['WARN,ERROR', 'ERROR'] as const;

function OneLog(props: LogViewProps) {
  const { kind, id, isOver, emptyText, notes, firstError, hrefOfPlace } = props;
  const { reader, book, call, snapshot, retry } = useLog(kind, id, isOver);
  const search = useSearchState('');
  const [query, setQuery] = useState(search.get('find') ?? '');
  const level = LEVELS.find((one) => one === search.get('level'));
  const isLive = snapshot.state === 'live' || snapshot.state === 'reconnecting';
  const isWrapped = search.get('wrap') === '1';
  const range = useLineRange();
  const [isFollowing, setFollowing] = useState(range === undefined);
  const [hit, setHit] = useState<number>();
  const hits = useHits(call, query, isLive);
  const shown = useLevelLines(call, book, level, isLive);
  const move = (step: 1 | -1) => {
    const next = nextHit(hits?.numbers ?? [], hit, step);
    if (next === undefined) return;
    setFollowing(false);
    setHit(next);
  };
  const find = (text: string) => {
    setQuery(text);
    setHit(undefined);
    search.set({ find: text });
  };
  const isEmpty = snapshot.last === 0;
  if (snapshot.error !== undefined) return <ReadProblem error={snapshot.error} onRetry={retry} />;
  return (
    <section className="log" aria-label={LOG_WORDS.log}>
      <div className="log__bar">
        <LogSearchField query={query} onQuery={find} hits={hits} hit={hit} onMove={move} />
        <SelectInput
          controlSize="sm"
          aria-label={LOG_WORDS.level}
          value={level ?? ''}
          onValue={(value) => search.set({ level: value })}
          options={[
            { value: '', label: LOG_WORDS.allLevels },
            ...LEVELS.map((one) => ({
              value: one,
              label: LOG_WORDS.levels[one],
            })),
          ]}
        />
        <Checkbox
          label={LOG_WORDS.wrap}
          isChecked={isWrapped}
          onChange={(isOn) => search.set({ wrap: isOn ? '1' : undefined })}
        />
        {isLive && <Checkbox label={LOG_WORDS.follow} isChecked={isFollowing} onChange={setFollowing} />}
        <span className="push row row--4">
          {firstError !== undefined && (
            <Button
              size="sm"
              icon="adown"
              onClick={() => {
                setFollowing(false);
                setHit(undefined);
                pointAt({ from: firstError, to: firstError });
              }}
            >
              {LOG_WORDS.firstError}
            </Button>
          )}
          <Button tone="ghost" size="sm" icon="dl" onClick={() => void download(downloadCall(id))}>
            {LOG_WORDS.download}
          </Button>
        </span>
      </div>
      {isEmpty ? (
        <NoLines snapshot={snapshot} text={emptyText} />
      ) : shown !== undefined && shown.isDone && shown.numbers.length === 0 ? (
        <p className="card__b muted">{LOG_WORDS.noneFits}</p>
      ) : (
        <LogList
          reader={reader}
          snapshot={snapshot}
          shown={shown?.numbers}
          isWrapped={isWrapped}
          isFollowing={isFollowing}
          onFollowing={setFollowing}
          query={query.trim().toLowerCase()}
          hit={hit}
          range={range}
          notes={notes}
          hrefOfPlace={hrefOfPlace}
        />
      )}
      <LogFoot
        book={book}
        snapshot={snapshot}
        shown={shown}
        isFollowing={isFollowing}
        onToEnd={() => setFollowing(true)}
        range={range ?? (hit === undefined ? undefined : { from: hit, to: hit })}
      />
    </section>
  );
}

/** Without colours: a file is for other programs. */
function downloadCall(id: string): Call {
  return { api: 'actors', path: path`/logs/${id}`, query: { download: true } };
}

/** After the last one comes the first. */
function nextHit(numbers: readonly number[], hit: number | undefined, step: 1 | -1): number | undefined {
  if (hit === undefined) return step === 1 ? numbers[0] : numbers.at(-1);
  return step === 1
    ? (numbers.find((number) => number > hit) ?? numbers[0])
    : (numbers.findLast((number) => number < hit) ?? numbers.at(-1));
}

function NoLines({ snapshot, text }: { snapshot: LogSnapshot; text: string }) {
  if (snapshot.state === 'connecting')
    return (
      <div className="card__b">
        <Skeleton lines={6} />
      </div>
    );
  return <p className="card__b muted">{text}</p>;
}

interface LogSearchFieldProps {
  query: string;
  onQuery: (query: string) => void;
  hits: LogMatches | undefined;
  hit: number | undefined;
  onMove: (step: 1 | -1) => void;
}

function LogSearchField({ query, onQuery, hits, hit, onMove }: LogSearchFieldProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onMove(1);
  };
  const count = hits?.total ?? 0;
  const at = hit === undefined ? 0 : (hits?.numbers.indexOf(hit) ?? -1) + 1;
  return (
    <form className="log__find" onSubmit={submit}>
      <FilterInput value={query} onChange={onQuery} label={LOG_WORDS.search} />
      {hits !== undefined && (
        <>
          <span className="t12 muted nw" role="status">
            {count === 0 && hits.isDone
              ? LOG_WORDS.noHits
              : LOG_WORDS.hits(formatCount(at), formatCount(count))}
          </span>
          <Button size="sm" icon="up" label={LOG_WORDS.previous} onClick={() => onMove(-1)} />
          <Button size="sm" icon="down" label={LOG_WORDS.next} onClick={() => onMove(1)} />
        </>
      )}
    </form>
  );
}

interface LogFootProps {
  book: LogBook;
  snapshot: LogSnapshot;
  shown: LogMatches | undefined;
  isFollowing: boolean;
  onToEnd: () => void;
  range: LineRange | undefined;
}

const DOTS = {
  connecting: 'connecting',
  live: 'live',
  reconnecting: 'reconnecting',
  ended: undefined,
  failed: 'offline',
} as const;

function LogFoot({ book, snapshot, shown, isFollowing, onToEnd, range }: LogFootProps) {
  const { state, last } = snapshot;
  const dot = DOTS[state];
  const words =
    state === 'live' ? (isFollowing ? LOG_WORDS.following : LOG_WORDS.paused) : LOG_WORDS.states[state];
  const all = formatCount(last);
  return (
    <div className="log__f">
      <span role="status">{dot === undefined ? words : <LiveDot state={dot}>{words}</LiveDot>}</span>
      <span>
        {shown === undefined
          ? LOG_WORDS.count(all)
          : LOG_WORDS.filtered(formatCount(shown.numbers.length), all)}
      </span>
      {!isFollowing && last > 0 && (
        <Button tone="ghost" size="xs" icon="adown" onClick={onToEnd}>
          {LOG_WORDS.toEnd}
        </Button>
      )}
      {range !== undefined && <PointedLines book={book} range={range} />}
    </div>
  );
}

/** More would be a file: the download has it. */
const MAX_COPIED = 2000;

function PointedLines({ book, range }: { book: LogBook; range: LineRange }) {
  const { from, to } = range;
  const numbers = Array.from({ length: Math.min(to - from + 1, MAX_COPIED) }, (_, offset) => from + offset);
  const text = numbers
    .flatMap((number) => book.line(number) ?? [])
    .map(plainText)
    .join('\n');
  return (
    <span className="push row row--4 row--wrap">
      <span>
        {from === to
          ? LOG_WORDS.line(formatCount(from))
          : LOG_WORDS.linesRange(formatCount(from), formatCount(to))}
      </span>
      <CopyTextButton text={location.origin + hrefOfRange(range)} label={LOG_WORDS.copyLink} tone="ghost" />
      <CopyTextButton text={text} label={LOG_WORDS.copyLines} tone="ghost" />
      <Button tone="ghost" size="xs" icon="x" label={LOG_WORDS.unpoint} onClick={() => pointAt(undefined)} />
    </span>
  );
}
