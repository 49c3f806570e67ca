// Lines that only one of two logs has, the most severe first, each with a link to the first of its kind.
import '../../styles/run-compare.css';
import type { OneSidedLine } from '../../api/types/signalbox.ts';
import { formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Status, type StatusTone } from '../../ui/status.tsx';
import { ListFoot } from '../../lib/list-foot.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { COMPARE_WORDS } from './compare-words.ts';

const TONES: Readonly<Record<string, StatusTone>> = { ERROR: 'bad', WARN: 'warn' };
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B\[[0-9;]*[A-Za-z]/g;

export interface OneSidedLinesProps {
  title: string;
  lines: OneSidedLine[];
  total: number;
  /** The page of the log that has them. */
  href: string;
}

export function OneSidedLines({ title, lines, total, href }: OneSidedLinesProps) {
  return (
    <Section title={title}>
      {lines.length === 0 ? (
        <p className="muted t13">{COMPARE_WORDS.noLines}</p>
      ) : (
        <div className="lines-table">
          <Table
            label={title}
            columns={columnsOf(href)}
            rows={lines}
            rowKey={({ number }) => String(number)}
            rowCount={total}
            footer={
              <>
                <ListFoot list={{ rows: lines, total }} nouns={COMPARE_WORDS.lines} />
                <span>{COMPARE_WORDS.normal}</span>
              </>
            }
          />
        </div>
      )}
    </Section>
  );
}

function columnsOf(href: string): TableColumn<OneSidedLine>[] {
  return [
    {
      id: 'line',
      head: COMPARE_WORDS.line,
      isMain: true,
      cell: ({ example, level }) => (
        <span className="row row--4 row--wrap">
          {level !== undefined && <Status tone={TONES[level] ?? 'neutral'}>{level}</Status>}
          <span className="mono t12 break">{example.replaceAll(ESCAPES, '')}</span>
        </span>
      ),
    },
    {
      id: 'times',
      head: COMPARE_WORDS.times,
      align: 'end',
      cell: ({ count }) => formatCount(count),
    },
    {
      id: 'first',
      head: COMPARE_WORDS.first,
      cell: ({ number }) => (
        <TextLink href={`${href}#L${number}`}>{COMPARE_WORDS.showLine(formatCount(number))}</TextLink>
      ),
    },
  ];
}
