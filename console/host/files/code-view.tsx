// The text of a file with numbers of lines that are links. Long texts are drawn in parts, those near the window only.
import { memo, useEffect, useMemo, useRef, type MouseEvent, type ReactNode } from 'react';
import { useNear } from '../../lib/in-view.ts';
import { hrefOfRange, pointAt, useLineRange } from '../../lib/line-range.ts';
import { parseRange, type LineRange } from '../../lib/parse-range.ts';
import { classNames } from '../../ui/class-names.ts';
import { cssVars } from '../../ui/css-vars.ts';
import { CodeText } from '../../lib/highlight/code-text.tsx';
import type { Token } from '../../lib/highlight/tokenize.ts';
import { useTokenizer } from '../../lib/highlight/use-tokenizer.ts';
import type { FoundFlag } from '../../api/types/signalbox.ts';
import { FILES_WORDS } from './files-words.ts';
import { useFlagMarks } from './flag-marks.ts';
import { FlagNotes, RemovalList } from './flag-notes.tsx';

/** Lines that are drawn together. */
const PART = 200;
/** Up to here all are drawn, so that the browser's own search finds them. */
const ALL_DRAWN = 2000;
/** As the stylesheet has it. */
const LINE_HEIGHT = 20;

export interface CodeViewProps {
  path: string;
  lines: readonly string[];
  characters: number;
  /** Off where a page shows several texts, whose lines the address could not tell apart. */
  areLinesLinked?: boolean | undefined;
  /** What stands beside some lines that follow each other: the same function as long as it gives the same. */
  margin?: ((from: number, to: number) => ReactNode) | undefined;
}

export function CodeView({ path, lines, characters, areLinesLinked = true, margin }: CodeViewProps) {
  const named = useLineRange();
  const range = areLinesLinked ? named : undefined;
  const box = useRef<HTMLDivElement>(null);
  const tokenizer = useTokenizer(path, characters);
  const tokens = useMemo(() => tokenizer?.(lines), [tokenizer, lines]);
  const flags = useFlagMarks(lines, areLinesLinked ? tokens : undefined);
  useJump(box, range, lines.length);
  const parts = Array.from({ length: Math.ceil(lines.length / PART) }, (_, index) => index * PART);
  return (
    <>
      {flags !== undefined && flags.ready.length > 0 && <RemovalList ready={flags.ready} />}
      {/* What scrolls must be reachable by the keyboard; to lines, the keyboard goes by the button above. */}
      <div
        ref={box}
        className="cv"
        role="region"
        aria-label={FILES_WORDS.code(path)}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        style={cssVars({ digits: String(lines.length).length })}
      >
        {parts.map((start) => (
          <Part
            key={start}
            start={start}
            lines={lines}
            tokens={tokens}
            isAlwaysDrawn={lines.length <= ALL_DRAWN}
            margin={margin}
            range={isWithin(range, start) ? range : undefined}
            areLinesLinked={areLinesLinked}
            flags={flags?.byLine}
          />
        ))}
      </div>
    </>
  );
}

function isWithin(range: LineRange | undefined, start: number): boolean {
  return range !== undefined && range.from <= start + PART && range.to > start;
}

interface PartProps {
  start: number;
  lines: readonly string[];
  tokens: readonly Token[][] | undefined;
  isAlwaysDrawn: boolean;
  margin: CodeViewProps['margin'];
  /** Where it reaches into this part. */
  range: LineRange | undefined;
  areLinesLinked: boolean;
  /** By the number of the line. */
  flags: ReadonlyMap<number, readonly FoundFlag[]> | undefined;
}

const Part = memo(function Part(props: PartProps) {
  const { start, lines, tokens, isAlwaysDrawn, margin, range, areLinesLinked, flags } = props;
  const { ref, isNear } = useNear<HTMLDivElement>(!isAlwaysDrawn);
  const own = lines.slice(start, start + PART);
  const isDrawn = isAlwaysDrawn || isNear;
  const drawn =
    isDrawn &&
    own.map((text, index) => {
      const number = start + index + 1;
      const named = flags?.get(number);
      const isOn = range !== undefined && number >= range.from && number <= range.to;
      return (
        <div key={number} className={classNames('cv__l', isOn && 'is-on')}>
          {areLinesLinked ? (
            <a
              className="cv__n"
              href={hrefOfRange({ from: number, to: number })}
              data-n={number}
              tabIndex={-1}
              onClick={onNumber}
              aria-label={FILES_WORDS.line(number)}
            />
          ) : (
            <span className="cv__n" data-n={number} aria-hidden="true" />
          )}
          <code className="cv__t">
            <CodeText text={text} tokens={tokens?.[number - 1]} />
            {'\n'}
          </code>
          {named !== undefined && <FlagNotes flags={named} />}
        </div>
      );
    });
  return (
    <div
      ref={ref}
      className={classNames('cv__p', margin !== undefined && 'has-margin')}
      style={cssVars({ h: `${own.length * LINE_HEIGHT}px` })}
    >
      {margin === undefined ? (
        drawn
      ) : (
        <>
          {isDrawn && margin(start + 1, start + own.length)}
          <div className="cv__ls">{drawn}</div>
        </>
      )}
    </div>
  );
});

/** With Shift held, up to the line that was pressed before. */
function onNumber(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const number = Number(event.currentTarget.dataset['n']);
  const from = event.shiftKey ? (parseRange(location.hash)?.from ?? number) : number;
  pointAt({ from: Math.min(from, number), to: Math.max(from, number) });
}

/** To the first of the lines that the address names, once for each address. */
function useJump(
  box: React.RefObject<HTMLDivElement | null>,
  range: LineRange | undefined,
  count: number,
): void {
  const from = range?.from;
  useEffect(() => {
    const element = box.current;
    if (element === null || from === undefined || from > count) return;
    const top = element.getBoundingClientRect().top + scrollY + (from - 1) * LINE_HEIGHT;
    const isSeen = top > scrollY + 80 && top < scrollY + innerHeight - 40;
    if (!isSeen) scrollTo(0, Math.max(0, top - innerHeight / 3));
  }, [box, from, count]);
}
