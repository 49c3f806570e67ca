// Two texts beside each other: equal lines meet, and what differs is marked by word.
import { Fragment, useMemo } from 'react';
import type { DiffLine } from '../../ui/diff-line.ts';
import { compareLines } from '../../ui/diff-lines.ts';

export interface SideBySideProps {
  before: string;
  after: string;
  /** The names of both. */
  heads: readonly [string, string];
  label: string;
}

interface Pair {
  before?: DiffLine | undefined;
  after?: DiffLine | undefined;
}

export function SideBySide({ before, after, heads, label }: SideBySideProps) {
  const pairs = useMemo(() => pairsOf(compareLines(before, after).lines), [before, after]);
  return (
    // What scrolls must be reachable by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="diffw versions__sides" role="region" aria-label={label} tabIndex={0}>
      <table className="diff">
        <colgroup>
          <col className="versions__n" />
          <col />
          <col className="versions__n" />
          <col />
        </colgroup>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} colSpan={2} scope="colgroup">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair, index) => (
            // Lines keep their order.
            <tr key={index}>
              <Side line={pair.before} number={pair.before?.before} />
              <Side line={pair.after} number={pair.after?.after} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Side({ line, number }: { line: DiffLine | undefined; number: number | undefined }) {
  const className = line === undefined || line.kind === 'same' ? undefined : `versions__${line.kind}`;
  return (
    <>
      <td className="n">{number}</td>
      <td className={className}>
        {line?.parts.map((part, index) => (
          <Fragment key={index}>{part.isChanged ? <mark>{part.text}</mark> : part.text}</Fragment>
        ))}
      </td>
    </>
  );
}

/** What was removed stands beside what was added in its place. */
function pairsOf(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    const length = Math.max(removed.length, added.length);
    for (let at = 0; at < length; at += 1) pairs.push({ before: removed[at], after: added[at] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'del') removed.push(line);
    else if (line.kind === 'add') added.push(line);
    else {
      flush();
      pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
}
