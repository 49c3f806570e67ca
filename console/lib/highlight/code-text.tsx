// The text of a line with its tokens in their colours, and the part that changed marked.
import { Fragment, type ReactNode } from 'react';
import type { Token } from './tokenize.ts';
import '../../styles/highlight.css';

export interface CodeTextProps {
  text: string;
  tokens?: readonly Token[] | undefined;
  /** From and to, with the element that marks it. */
  mark?: { start: number; end: number; as: 'ins' | 'del' } | undefined;
}

/** Longer lines are cut: a browser takes seconds to lay them out. */
const MAX_LINE = 10_000;

export function CodeText({ text, tokens = [], mark }: CodeTextProps) {
  const isCut = text.length > MAX_LINE;
  const shown = isCut ? text.slice(0, MAX_LINE) : text;
  if (tokens.length === 0 && mark === undefined)
    return (
      <>
        {shown}
        {isCut && '…'}
      </>
    );
  const end = shown.length;
  const start = Math.min(mark?.start ?? end, end);
  const stop = Math.min(mark?.end ?? end, end);
  const Mark = mark?.as ?? 'ins';
  return (
    <>
      {colour(shown, tokens, 0, start)}
      {stop > start && <Mark>{colour(shown, tokens, start, stop)}</Mark>}
      {colour(shown, tokens, stop, end)}
      {isCut && '…'}
    </>
  );
}

/** The part of the text between two places. */
function colour(text: string, tokens: readonly Token[], from: number, to: number): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = from;
  for (const token of tokens) {
    const start = Math.max(token.start, from);
    const end = Math.min(token.end, to);
    if (end <= start) continue;
    if (start > at) parts.push(<Fragment key={at}>{text.slice(at, start)}</Fragment>);
    parts.push(
      <span key={start} className={`tk-${token.kind}`}>
        {text.slice(start, end)}
      </span>,
    );
    at = end;
  }
  if (at < to) parts.push(<Fragment key={at}>{text.slice(at, to)}</Fragment>);
  return parts;
}
