// The text of a source file with the numbers of its lines; it scrolls to the lines that the address points at, and selects them.
import { useLayoutEffect, useRef } from 'react';
import { useLineRange } from '../../lib/line-range.ts';
import { TextArea } from '../../ui/input.tsx';

export interface SourceTextProps {
  label: string;
  isReadOnly: boolean;
  value: string;
  onValue: (value: string) => void;
}

/** As the style of the text says. */
const LINE_HEIGHT = 20;

export function SourceText({ label, isReadOnly, value, onValue }: SourceTextProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLPreElement>(null);
  const range = useLineRange();
  const count = value.split('\n').length;
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
  return (
    <div className="source__box">
      <pre ref={gutter} className="source__lines" aria-hidden="true">
        {Array.from({ length: count }, (_, index) => index + 1).join('\n')}
      </pre>
      <TextArea
        ref={text}
        isMono
        className="source__text"
        rows={24}
        wrap="off"
        aria-label={label}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        readOnly={isReadOnly}
        value={value}
        onValue={onValue}
        onScroll={({ currentTarget }) => {
          if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

/** Of the first character of a line; lines that are not there begin at the end. */
function offsetOf(lines: readonly string[], line: number): number {
  return lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
}
