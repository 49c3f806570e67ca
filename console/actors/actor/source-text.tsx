// The text of a source file with the numbers of its lines, in the colours of its language. It scrolls to the lines that the address
// points at, and selects them. What one reads and types in is a text field; the colours lie above it, for the lines in view.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { CodeText } from '../../lib/highlight/code-text.tsx';
import { useTokenReader } from '../../lib/highlight/use-tokenizer.ts';
import { useLineRange } from '../../lib/line-range.ts';
import { classNames } from '../../ui/class-names.ts';
import { cssVars } from '../../ui/css-vars.ts';
import { TextArea } from '../../ui/input.tsx';
import { ACTOR_WORDS } from './actor-words.ts';
import { useCodeKeys } from './use-code-keys.ts';

export interface SourceTextProps {
  /** Its name says in which language it is. */
  path: string;
  label: string;
  isReadOnly: boolean;
  value: string;
  onValue: (value: string) => void;
}

/** As the style of the text says. */
const LINE_HEIGHT = 20;
/** Lines are drawn and left out together. */
const PART = 50;
/** Texts with longer lines stay plain: a browser takes seconds to lay out all their parts. */
const MAX_LINE = 5000;

export function SourceText({ path, label, isReadOnly, value, onValue }: SourceTextProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const lines = useMemo(() => value.split(/\r\n|\r|\n/), [value]);
  const isPlain = useMemo(() => lines.some(({ length }) => length > MAX_LINE), [lines]);
  const read = useTokenReader(path);
  const { drawn, numbers, colours, follow } = useDrawn(text);
  const { from } = drawn;
  const to = Math.min(drawn.to, lines.length);
  const tokens = isPlain ? undefined : read?.(lines, from, to);
  const keys = useCodeKeys(isReadOnly);
  const hint = useId();
  useRangeInView(text);
  return (
    <>
      <div className="source__box" style={cssVars({ digits: String(lines.length).length })}>
        <div className="source__lines" aria-hidden="true">
          <pre ref={numbers} style={cssVars({ above: from })}>
            {Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1).join('\n')}
          </pre>
        </div>
        <div className="source__pane">
          <TextArea
            ref={text}
            isMono
            className={classNames('source__text', tokens !== undefined && 'is-coloured')}
            rows={24}
            wrap="off"
            aria-label={label}
            aria-describedby={isReadOnly ? undefined : hint}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            readOnly={isReadOnly}
            value={value}
            onValue={onValue}
            onScroll={follow}
            {...keys}
          />
          {tokens !== undefined && (
            <div className="source__colours" aria-hidden="true">
              <pre ref={colours} style={cssVars({ above: from })}>
                {lines.slice(from, to).map((line, index) => (
                  <div key={from + index}>
                    <CodeText text={line} tokens={tokens[index]} />
                  </div>
                ))}
              </pre>
            </div>
          )}
        </div>
      </div>
      {!isReadOnly && (
        <p id={hint} className="t12 muted source__hint">
          {ACTOR_WORDS.codeKeys}
        </p>
      )}
    </>
  );
}

/** The lines in view and some around them; the layers beside and above the text go where it is scrolled to. */
function useDrawn(text: RefObject<HTMLTextAreaElement | null>) {
  const [drawn, setDrawn] = useState({ from: 0, to: 2 * PART });
  const numbers = useRef<HTMLPreElement>(null);
  const colours = useRef<HTMLPreElement>(null);
  const place = () => {
    const element = text.current;
    if (element === null) return;
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
    if (numbers.current !== null) numbers.current.style.transform = `translateY(${-scrollTop}px)`;
    if (colours.current !== null) {
      colours.current.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
      const layer = colours.current.parentElement!;
      // Without the bars by which one scrolls.
      layer.style.width = `${clientWidth}px`;
      layer.style.height = `${clientHeight}px`;
    }
  };
  const follow = () => {
    const element = text.current;
    if (element === null) return;
    place();
    const { scrollTop, clientHeight } = element;
    const from = Math.max(0, Math.floor(scrollTop / LINE_HEIGHT / PART) * PART - PART);
    const to = Math.ceil((scrollTop + clientHeight) / LINE_HEIGHT / PART) * PART + PART;
    setDrawn((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  // Also after each change of the text, which may have given it a bar.
  useLayoutEffect(place);
  const latest = useRef(follow);
  useEffect(() => {
    latest.current = follow;
  });
  useEffect(() => {
    const element = text.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(element);
    return () => observer.disconnect();
  }, [text]);
  return { drawn, numbers, colours, follow };
}

function useRangeInView(text: RefObject<HTMLTextAreaElement | null>): void {
  const range = useLineRange();
  useLayoutEffect(() => {
    const element = text.current;
    if (element === null || range === undefined) return;
    element.focus({ preventScroll: true });
    const lines = element.value.split('\n');
    const start = offsetOf(lines, range.from);
    element.setSelectionRange(start, Math.max(start, offsetOf(lines, range.to + 1) - 1));
    element.scrollTop = (range.from - 1) * LINE_HEIGHT - element.clientHeight / 2;
    // Typing must not move the cursor back.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [range?.from, range?.to]);
}

/** Of the first character of a line; lines that are not there begin at the end. */
function offsetOf(lines: readonly string[], line: number): number {
  return lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
}
