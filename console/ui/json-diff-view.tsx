// The difference as a table: two columns of numbers, a sign, the text. Equal parts are folded; a screen reader
// hears "added" and "removed", for signs alone are often not read.
import { Fragment, useMemo, useState } from 'react';
import { Banner } from './banner.tsx';
import type { DiffLine, DiffPart } from './diff-line.ts';
import { compareLines } from './diff-lines.ts';
import { formatCount } from './format.ts';
import type { JsonDiffProps } from './json-diff.tsx';
import { foldEqualLines } from './fold-equal-lines.ts';
import { stableJson } from './stable-json.ts';
import { words } from './words.ts';

/** Characters of each value that are compared. */
const longestText = 200_000;
/** Lines that are drawn before one asks for more. */
const linesPerPage = 500;

export default function JsonDiffView(props: JsonDiffProps) {
  const { before, after, label = words.difference, isText = false } = props;
  const [texts, isCut, all] = useMemo(() => {
    const textOf = (value: unknown) => (isText ? String(value) : stableJson(value));
    const whole = [textOf(before), textOf(after)] as const;
    const longest = Math.max(...whole.map((text) => text.length));
    return [whole.map((text) => text.slice(0, longestText)), longest > longestText, longest] as const;
  }, [before, after, isText]);
  const diff = useMemo(() => compareLines(texts[0] ?? '', texts[1] ?? ''), [texts]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [shown, setShown] = useState(linesPerPage);
  const parts = useMemo(() => foldEqualLines(diff.lines, opened), [diff, opened]);

  if (diff.lines.every((line) => line.kind === 'same') && !isCut) {
    return <p className="t13 muted">{words.noDifference}</p>;
  }
  const rest = parts.length - shown;
  return (
    <div className="stack stack--8">
      {diff.isWhole && <Banner tone="neutral">{words.tooDifferent}</Banner>}
      {isCut && <Banner tone="warn">{words.cutValue(formatCount(longestText), formatCount(all))}</Banner>}
      {/* What scrolls must be reachable by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="diffw" role="region" aria-label={label} tabIndex={0}>
        <table className="diff">
          <tbody>
            {parts.slice(0, shown).map((part) =>
              part.kind === 'fold' ? (
                <tr className="hunk" key={`fold ${part.from}`}>
                  <td colSpan={4}>
                    <button type="button" onClick={() => setOpened(new Set([...opened, part.from]))}>
                      {words.equalLines(part.count)}
                    </button>
                  </td>
                </tr>
              ) : (
                <DiffRow key={`${part.line.before} ${part.line.after}`} line={part.line} />
              ),
            )}
            {rest > 0 && (
              <tr className="hunk">
                <td colSpan={4}>
                  <button type="button" onClick={() => setShown(shown + linesPerPage)}>
                    {words.moreLines(formatCount(rest))}
                  </button>
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const signs = { same: '', add: '+', del: '−' };
const spoken = { same: undefined, add: words.added, del: words.removed };

function DiffRow({ line }: { line: DiffLine }) {
  const word = spoken[line.kind];
  return (
    <tr className={line.kind === 'same' ? undefined : line.kind}>
      <td className="n">{line.before}</td>
      <td className="n">{line.after}</td>
      <td className="s">
        <span aria-hidden="true">{signs[line.kind]}</span>
        {word !== undefined && <span className="vh">{word}</span>}
      </td>
      <td>
        {line.parts.map((part, index) => (
          // The parts of a line never change their order.
          <Fragment key={index}>{markOf(line.kind, part)}</Fragment>
        ))}
      </td>
    </tr>
  );
}

function markOf(kind: DiffLine['kind'], part: DiffPart) {
  if (!part.isChanged) return part.text;
  return kind === 'add' ? <ins>{part.text}</ins> : <del>{part.text}</del>;
}
