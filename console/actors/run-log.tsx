// The end of the log of a run, as it was when it was read.
import '../styles/log.css';
import { download } from '../lib/signed-link.ts';
import { ReadProblem } from '../lib/read-problem.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { formatCount } from '../ui/format.ts';
import { Skeleton } from '../ui/states.tsx';
import { logCall, useLog } from './queries.ts';
import { WORDS } from './words.ts';

/** More would be drawn slowly, and read by nobody. */
const MAX_LINES = 200;

export function RunLog({ id }: { id: string }) {
  const { data, error, isFetching, refetch } = useLog(id);
  const lines = linesOf(data);
  const shown = lines.slice(-MAX_LINES);
  const all = formatCount(lines.length);
  const call = logCall(id);
  return (
    <Card
      title={WORDS.log}
      isFlush
      actions={
        <>
          <Button tone="ghost" size="sm" icon="redo" isBusy={isFetching} onClick={() => void refetch()}>
            {WORDS.refresh}
          </Button>
          <Button
            tone="ghost"
            size="sm"
            icon="dl"
            onClick={() => void download({ ...call, query: { download: true } })}
          >
            {WORDS.download}
          </Button>
        </>
      }
      footer={
        lines.length === 0
          ? undefined
          : shown.length === lines.length
            ? WORDS.lines(all)
            : WORDS.lastLines(formatCount(shown.length), all)
      }
    >
      {data === undefined && error !== null ? (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      ) : (
        <LogLines lines={shown} from={lines.length - shown.length + 1} isRead={data !== undefined} />
      )}
    </Card>
  );
}

interface LogLinesProps {
  lines: readonly string[];
  /** The number of the first of them. */
  from: number;
  isRead: boolean;
}

function LogLines({ lines, from, isRead }: LogLinesProps) {
  if (!isRead)
    return (
      <div className="card__b">
        <Skeleton lines={6} />
      </div>
    );
  if (lines.length === 0) return <p className="card__b muted">{WORDS.noLog}</p>;
  return (
    // What scrolls sideways must be reachable by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol className="log__l" tabIndex={0} aria-label={WORDS.logLines} start={from}>
      {lines.map((line, index) => (
        <li key={from + index} id={`L${from + index}`}>
          <span>{from + index}</span>
          <span>{line}</span>
        </li>
      ))}
    </ol>
  );
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}
